import { UsageError } from './command-errors.js';
import { readSecretFile } from './read-input.js';
import { textOf, type Session, type Values } from './session.js';
import { parseUrl } from '../core/parse-url.js';

const variable = 'SOCIAL_PUBLISHING_WEBHOOK_SECRET';

/** Reads the signing secret from a file or the environment. */
export async function readWebhookSecret({ world, output }: Session, values: Values): Promise<string> {
  const file = textOf(values, 'secretFile');
  const secret = file === undefined ? (world.env[variable] ?? '') : await readSecretFile(world, file, '--secret-file');
  if (secret === '')
    throw new UsageError(`The signing secret is missing. Set ${variable}, or pass --secret-file FILE.`);
  output.hide(secret);
  return secret;
}

export function readReceiver(values: Values, name: 'to' | 'forwardTo'): URL {
  const text = textOf(values, name) ?? '';
  const flag = name === 'to' ? 'to' : 'forward-to';
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--${flag} must be a URL such as http://127.0.0.1:3000/webhooks.`);
  // The command prints the URL.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`--${flag} must be a URL without a user name and password.`);
  return url;
}
