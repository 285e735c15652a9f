import { ConfigurationError } from '../../core/errors.js';
import { keepNewest } from '../../core/runtime.js';

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

export async function computeHmac(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign(algorithm.name, keys.get(secret) ?? (await importKey(secret)), signed));
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
  return subtle().verify(algorithm.name, keys.get(secret) ?? (await importKey(secret)), digest, signed);
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

async function importKey(secret: string): Promise<CryptoKey> {
  const key = await subtle().importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify']);
  // Stores the key, not its promise: in Workers, a request must not await the promise of another request.
  keys.set(secret, key);
  keepNewest(keys, maxKeys);
  return key;
}
