import { ConfigurationError } from '../core/errors.js';

/** A body as it came over the wire. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The bytes of a body: a string's UTF-8, or exactly the bytes that a view shows. `undefined` for anything else. */
export function bytesOf(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Not instanceof: a buffer may come from another realm, as in jsdom or a vm.
  const tag = Object.prototype.toString.call(body);
  return tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]'
    ? new Uint8Array(body as ArrayBuffer)
    : undefined;
}

/** What is signed: the timestamp, a period, and the body. It is a copy, so that nobody can change it meanwhile. */
export function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const signed = new Uint8Array(timestamp.length + 1 + body.length);
  // Checked before: the timestamp is digits alone, one byte each.
  for (let i = 0; i < timestamp.length; i += 1) signed[i] = timestamp.charCodeAt(i);
  signed[timestamp.length] = 0x2e;
  signed.set(body, timestamp.length + 1);
  return signed;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Computes the HMAC-SHA256 of the signed bytes. */
export async function computeHmac(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign(algorithm.name, keys.get(secret) ?? (await importKey(secret)), signed));
}

/** Computes the SHA-256 of bytes, in hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await subtle().digest('SHA-256', bytes)));
}

/** Bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Tells, in constant time, whether a digest is the HMAC-SHA256 of the signed bytes. */
export async function verifyHmac(
  secret: string,
  digest: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return subtle().verify(algorithm.name, keys.get(secret) ?? (await importKey(secret)), digest, signed);
}

/**
 * Gives WebCrypto.
 * @throws ConfigurationError where the runtime has none, as a page that was not loaded over https
 */
function subtle(): SubtleCrypto {
  const found = (globalThis.crypto as Crypto | undefined)?.subtle;
  if (found !== undefined) return found;
  throw new ConfigurationError('This runtime has no WebCrypto (globalThis.crypto.subtle). In a page it needs https.');
}

// A key is imported once, since that takes about as long as the HMAC of a whole delivery. A receiver has one secret, or
// two while one is being rotated; who serves many tenants has more, and then the oldest goes.
const keys = new Map<string, CryptoKey>();
const maxKeys = 64;

async function importKey(secret: string): Promise<CryptoKey> {
  const key = await subtle().importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify']);
  // The key is kept, not its promise: in Workers a promise must not be awaited by another request than the one it is of.
  const [oldest] = keys.keys();
  if (keys.size >= maxKeys && oldest !== undefined) keys.delete(oldest);
  keys.set(secret, key);
  return key;
}
