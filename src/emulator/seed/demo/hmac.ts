import { toHex } from '../../../webhooks/verify/signatures.js';

/**
 * HMAC-SHA256, as in RFC 2104 and FIPS 180-4. WebCrypto works only asynchronously, and a seed returns its data at
 * once.
 */

const blockBytes = 64;

export function hmacSha256(secret: string, text: string): string {
  const bytes = new TextEncoder().encode(secret);
  const key = new Uint8Array(blockBytes);
  key.set(bytes.length > blockBytes ? sha256(bytes) : bytes);
  const hashed = (mask: number, message: Uint8Array) =>
    sha256(Uint8Array.from([...key.map((byte) => byte ^ mask), ...message]));
  return toHex(hashed(0x5c, hashed(0x36, new TextEncoder().encode(text))));
}

const primes = [2];
for (let number = 3; primes.length < 64; number += 2)
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);

/** The first 32 bits of the fraction of a number. */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));
const start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

function sha256(message: Uint8Array): Uint8Array {
  const blocks = padded(message);
  let hash = Int32Array.from(start);
  for (let offset = 0; offset < blocks.byteLength; offset += blockBytes) {
    const after = compressed(hash, scheduled(blocks, offset));
    hash = hash.map((value, index) => value + word(after, index));
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, value] of hash.entries()) digest.setInt32(index * 4, value);
  return new Uint8Array(digest.buffer);
}

/** The message, a bit of 1, zeros, and the length in bits. */
function padded(message: Uint8Array): DataView {
  const length = Math.ceil((message.length + 9) / blockBytes) * blockBytes;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(length - 4, message.length * 8);
  return view;
}

const turned = (value: number, bits: number) => (value >>> bits) | (value << (32 - bits));
const word = (words: Int32Array, index: number) => words[index] ?? 0;

function scheduled(blocks: DataView, offset: number): Int32Array {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index += 1) words[index] = blocks.getInt32(offset + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const [a, b] = [word(words, index - 15), word(words, index - 2)];
    const first = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const second = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    words[index] = word(words, index - 16) + first + word(words, index - 7) + second;
  }
  return words;
}

function compressed(hash: Int32Array, words: Int32Array): Int32Array {
  const state = Int32Array.from(hash);
  for (let index = 0; index < 64; index += 1) {
    const [a, b, c, e] = [word(state, 0), word(state, 1), word(state, 2), word(state, 4)];
    const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const choice = (e & word(state, 5)) ^ (~e & word(state, 6));
    const added = (word(state, 7) + mixed + choice + (constants[index] ?? 0) + word(words, index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    state.copyWithin(1, 0, 7);
    state[4] = word(state, 4) + added;
    state[0] = added + (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority;
  }
  return state;
}
