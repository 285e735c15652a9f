import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { textOf, type Session, type Values } from './session.js';
import { stateFolder } from './state-folder.js';

/**
 * Saves the signing secret of a new subscription to a file that only its owner can read: no output may show it, and the
 * service shows it only once.
 */
export async function saveSecrets(session: Session, values: Values, reply: unknown): Promise<unknown> {
  const { id, webhook } = reply as { id?: unknown; webhook?: { secret?: unknown } };
  const secret = webhook?.secret;
  if (typeof secret !== 'string') return reply;
  session.output.hide(secret);
  const name = typeof id === 'string' ? id.replace(/[^\w-]/g, '_') : 'subscription';
  const file = textOf(values, 'secretFile') ?? join(stateFolder(session.world), `webhook-secret-${name}`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  session.output.note(`The signing secret is in ${file}. Pass it to 'webhooks listen' with --secret-file.`);
  return { ...(reply as object), secretFile: file };
}
