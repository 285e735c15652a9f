import { ConfigurationError } from '../../core/errors.js';
import { checkConfiguration, optionsOf, unchecked } from '../../core/call/options.js';
import type { Fields } from '../../core/json.js';
import { keepNewest } from '../../core/runtime.js';
import { readPayload } from './events.js';

/** A body as received. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Returns the bytes of a body: the UTF-8 of a string, or the bytes of a view. `undefined` for any other type. */
export function bytesOf(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Not instanceof: a buffer can come from another realm, as in jsdom or a vm.
  const tag = Object.prototype.toString.call(body);
  return tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]'
    ? new Uint8Array(body as ArrayBuffer)
    : undefined;
}

/** Returns the bytes that the service signs: the timestamp, a period, and the body. A copy: the caller cannot change it. */
export function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return signed;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

async function computeHmac(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign(algorithm.name, await keyOf(secret), signed));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await subtle().digest('SHA-256', bytes)));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns, in constant time, whether a digest is the HMAC-SHA256 of the signed bytes. */
export async function verifyHmac(
  secret: string,
  digest: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return subtle().verify(algorithm.name, await keyOf(secret), digest, signed);
}

/**
 * Returns WebCrypto.
 * @throws ConfigurationError the runtime has no WebCrypto, for example a page without https
 */
function subtle(): SubtleCrypto {
  const found = (globalThis.crypto as Crypto | undefined)?.subtle;
  if (found !== undefined) return found;
  throw new ConfigurationError(
    'This runtime has no WebCrypto (globalThis.crypto.subtle). A page must be loaded over https to have it.',
  );
}

// Each key is imported once: the import takes as long as the HMAC of a delivery. Beyond `maxKeys`, as in a program with
// many tenants, the oldest key is removed.
const keys = new Map<string, CryptoKey>();
const maxKeys = 64;

async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = await subtle().importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify']);
  // Stores the key, not its promise: in Workers, a request must not await the promise of another request.
  keys.set(secret, key);
  keepNewest(keys, maxKeys);
  return key;
}

/**
 * The signing secret of a subscription, from the reply that created it (`webhook.secret`; lists show it masked). During
 * a rotation, pass several: a delivery signed with any of them is accepted. A function is called at every delivery, so
 * you can rotate a secret without a restart. It should return a value from memory.
 */
export type WebhookSecret =
  string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>);

/**
 * Returns the secrets as a list.
 * @throws ConfigurationError a secret is invalid; the message never quotes it
 */
export function checkSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const refusal =
    secrets.length === 0
      ? `The list of webhook secrets is empty. ${origin}`
      : secrets.map(refusalOf).find((reason) => reason !== undefined);
  if (refusal !== undefined) throw new ConfigurationError(refusal);
  // Each was checked above.
  return secrets as readonly string[];
}

/** Returns why a secret is invalid, without quoting it. */
function refusalOf(secret: unknown): string | undefined {
  if (typeof secret !== 'string') {
    const what = secret === null ? 'null' : typeof secret;
    return `The webhook secret must be a string, not ${what}. ${origin}`;
  }
  const text = secret.trim();
  if (text === '') return `The webhook secret is empty. ${origin}`;
  if (text === 'undefined' || text === 'null')
    return `The webhook secret is the text '${text}': a variable without a value was turned into a string.`;
  if (/[\r\n]/.test(secret))
    return 'The webhook secret has a line break, which secrets of the service never have. Trim the value that you read from a file or a shell.';
  if (/\*\*\*|[\u2022\u2026]/.test(text))
    return 'The webhook secret is masked, as lists of subscriptions show it. The whole secret is in the reply that created the subscription.';
  return undefined;
}

const origin =
  'notifications.create() returns it as webhook.secret. If you read it from an environment variable, check that the ' +
  'variable is set.';

/**
 * Checks a secret, and copies a list: later changes have no effect. The result of a function is checked at each delivery.
 * @throws ConfigurationError
 */
export function keepSecret(secret: WebhookSecret): WebhookSecret {
  return typeof secret === 'function' ? secret : [...checkSecrets(secret)];
}

/**
 * Returns the current secrets.
 * @throws ConfigurationError a secret is invalid; errors of the caller's function pass through unchanged
 */
export async function currentSecrets(secret: WebhookSecret): Promise<readonly string[]> {
  return checkSecrets(typeof secret === 'function' ? await secret() : secret);
}

/**
 * Names a subscription by each of its secrets, so that two apps on one store each handle an event. The order is the
 * same everywhere: two processes that claim several keys meet at the first. A secret that is given twice counts once: a
 * process must not meet its own claim. The names do not reveal the secrets.
 */
export async function scopesOf(secrets: readonly string[]): Promise<string[]> {
  return (await Promise.all([...new Set(secrets)].map(scopeOf))).sort();
}

/** The scopes of the current secrets. */
export async function currentScopes(secret: WebhookSecret): Promise<string[]> {
  return scopesOf(await currentSecrets(secret));
}

async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}

/** Whether two lists name the same subscription. A record of release 0.2.0 has no list, and belongs to no subscription. */
export function sharesScope(scopes: readonly string[], others: readonly string[] | undefined): boolean {
  return others?.some((scope) => scopes.includes(scope)) ?? false;
}

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
