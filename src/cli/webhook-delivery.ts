import { UsageError } from './errors.js';
import { findSecret } from './input.js';
import { kebab, textOf, type Session, type Values } from './session.js';
import { parseUrl } from '../core/parse-url.js';
import { signWebhook } from '../webhooks/index.js';
import { messageOf } from './report-error.js';

const variable = 'SOCIAL_PUBLISHING_WEBHOOK_SECRET';

/** Reads the signing secret from a file or the environment. */
export async function readWebhookSecret(session: Session, values: Values): Promise<string> {
  const secret = await findSecret(session, values, 'secretFile', variable);
  if (secret !== undefined) return secret;
  throw new UsageError(`The signing secret is missing. Set ${variable}, or pass --secret-file FILE.`);
}

export function readReceiver(values: Values, name: 'to' | 'forwardTo'): URL {
  const flag = kebab(name);
  const url = parseUrl(textOf(values, name) ?? '');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--${flag} must be a URL such as http://127.0.0.1:3000/webhooks.`);
  // The command prints the URL.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`--${flag} must be a URL without a user name and password.`);
  return url;
}

/** The service waits this long for a receiver (API document: Delivery). */
const timeoutMs = 10_000;
/** The number of characters of a reply that a line shows. */
const shownReply = 200;

export interface Delivered {
  readonly ok: boolean;
  readonly status?: number;
  /** The start of the reply's body. */
  readonly reply?: string;
  /** The reason, if no reply came. */
  readonly error?: string;
}

/** Sends a signed body to a receiver. It never rejects. */
export async function deliver(url: URL, body: string, secret: string): Promise<Delivered> {
  const headers = await signWebhook({ body, secret });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const reply = (await response.text()).slice(0, shownReply);
    return { ok: response.ok, status: response.status, ...(reply === '' ? {} : { reply }) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { ok: false, error: messageOf(cause instanceof Error ? cause : error) };
  }
}
