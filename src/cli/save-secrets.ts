import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../core/error-code.js';
import { CommandError, UsageError, exitCodes } from './errors.js';
import { messageOf } from './report-error.js';
import { textOf, type Session, type Values } from './session.js';
import { stateFolder } from './find-store.js';

/** The file for a signing secret that the service shows only once. It is open before the request. */
export interface SecretFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
  /** Whether its name should contain the ID of the subscription. */
  readonly isNamedLater: boolean;
}

/**
 * Opens the file. Refuses a file with content, because it may contain an earlier secret. The service shows a secret only
 * once.
 * @throws UsageError the file has content or cannot be written; nothing was sent
 */
export async function openSecretFile(session: Session, values: Values): Promise<SecretFile> {
  const option = textOf(values, 'secretFile');
  const { world } = session;
  const path = option ?? join(stateFolder(world), `webhook-secret-new-${process.pid}-${world.now()}`);
  const file = await openOrRefuse(path);
  if (!(await isEmpty(file.handle))) {
    await file.handle.close();
    throw new UsageError(`--secret-file: '${path}' has content. Nothing was sent. Pass the path of a new file.`);
  }
  return { path, isNamedLater: option === undefined, ...file };
}

async function openOrRefuse(path: string): Promise<Pick<SecretFile, 'handle' | 'isNew'>> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await openFile(path);
  } catch (error) {
    const reason = codeOf(error) || messageOf(error);
    throw new UsageError(`--secret-file: cannot write '${path}': ${reason}. Nothing was sent.`);
  }
}

/** A pipe or a device has no content. */
async function isEmpty(handle: FileHandle): Promise<boolean> {
  const info = await handle.stat();
  return !info.isFile() || info.size === 0;
}

async function openFile(path: string): Promise<Pick<SecretFile, 'handle' | 'isNew'>> {
  try {
    return { handle: await open(path, 'ax', 0o600), isNew: true };
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return { handle: await open(path, 'a'), isNew: false };
  }
}

/** Closes a file that is not needed, and removes it if it is new. */
export async function discardSecretFile({ path, handle, isNew }: SecretFile): Promise<void> {
  await handle.close();
  if (isNew) await rm(path, { force: true });
}

const removeFirst = 'Do not repeat the command before you have removed this subscription at the service.';

/** Saves the signing secret of a new subscription to the file, which only its owner can read. No output may show it. */
export async function saveSecret(session: Session, file: SecretFile, reply: unknown): Promise<unknown> {
  const { id, webhook } = reply as { id?: unknown; webhook?: { secret?: unknown } };
  const secret = webhook?.secret;
  if (typeof secret !== 'string') {
    await discardSecretFile(file);
    return reply;
  }
  session.output.hide(secret);
  const name = typeof id === 'string' ? id.replace(/[^\w-]/g, '_') : 'subscription';
  try {
    const path = await write(file, secret, name);
    session.output.note(`The signing secret is in ${path}. Pass it to 'webhooks listen' with --secret-file.`);
    // It has a webhook, so it is an object.
    return { ...(reply as object), secretFile: path };
  } catch (error) {
    throw new CommandError(
      `The subscription '${name}' was created, but its secret could not be saved in ${file.path}: ${messageOf(error)}.`,
      exitCodes.inDoubt,
      removeFirst,
    );
  }
}

async function write({ path, handle, isNamedLater }: SecretFile, secret: string, name: string): Promise<string> {
  try {
    // A pipe or a device keeps its mode.
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await handle.writeFile(`${secret}\n`);
  } finally {
    await handle.close();
  }
  if (!isNamedLater) return path;
  const named = join(dirname(path), `webhook-secret-${name}`);
  await rename(path, named);
  return named;
}
