import { ConfigurationError } from '../../core/errors.js';
import type { Fields } from '../../core/json.js';
import { checkConfiguration, optionsOf, unchecked } from '../../core/call/options.js';
import { bytesOf, computeHmac, signedBytes, toHex, type RawBody } from './hmac.js';
import { readPayload } from './parse-event.js';
import { checkSecrets } from './secrets.js';

/** Options of {@link signWebhook}. */
export interface SignWebhookOptions {
  /** The body, exactly as you will send it: text or bytes. */
  readonly body: RawBody;
  /** The subscription's signing secret. */
  readonly secret: string;
  /** The time of the signature, in Unix seconds; a fraction is dropped. Default: now. */
  readonly timestamp?: number | undefined;
}

const checks = { body: unchecked, secret: unchecked, timestamp: unchecked };
const greatestTimestamp = 999_999_999_999;

/**
 * Signs a body, and returns the headers of a delivery as the service sends them, for tests of a receiver. If the body
 * is JSON with an `id` and a `type`, the headers contain both.
 *
 * API document: Events, Request headers on every delivery.
 *
 * @example
 * ```ts
 * const headers = await signWebhook({ body, secret });
 * await receiver.fetch(new Request(url, { method: 'POST', headers, body }));
 * ```
 *
 * @throws {@link ConfigurationError} the secret, the body or the timestamp is invalid
 */
export async function signWebhook(options: SignWebhookOptions): Promise<Record<string, string>> {
  checkConfiguration(optionsOf<SignWebhookOptions>('an option of signWebhook', checks, 'allowed'), options);
  const [secret] = checkSecrets(options.secret) as readonly [string];
  const bytes = bytesOf(options.body);
  if (bytes === undefined) throw new ConfigurationError('The body to sign must be a string or bytes.');
  const seconds = Math.floor(options.timestamp ?? Date.now() / 1000);
  if (!(seconds >= 0 && seconds <= greatestTimestamp)) {
    const hint = seconds > greatestTimestamp ? ' This value looks like milliseconds: divide it by 1000.' : '';
    throw new ConfigurationError(`The timestamp must be a number of seconds since 1970 with at most 12 digits.${hint}`);
  }
  const timestamp = String(seconds);
  const digest = await computeHmac(secret, signedBytes(timestamp, bytes));
  return {
    ...eventHeaders(bytes),
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': `sha256=${toHex(digest)}`,
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
  };
}

/** The two headers that repeat the body's ID and type, if the body has them and a header can contain them. */
function eventHeaders(body: Uint8Array): Record<string, string> {
  // A test may want to sign a body that is not JSON.
  const { id, type }: Fields = readPayload(body)?.payload ?? {};
  return {
    ...(isHeaderValue(id) ? { 'X-Service-Event-Id': id } : {}),
    ...(isHeaderValue(type) ? { 'X-Service-Event-Type': type } : {}),
  };
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}
