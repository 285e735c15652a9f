import { ForeignDataError } from '../core/errors.js';
import { sha256 } from './hmac.js';

/** An ID as one segment of a key. An ID that a store could refuse, or that has a slash, becomes its SHA-256. */
export async function keySegment(id: string): Promise<string> {
  if (/^[\w.:@-]{1,200}$/.test(id)) return id;
  const hashOf = (text: string) => sha256(new TextEncoder().encode(text));
  // Encoded, every half of a surrogate pair is the same character. JSON escapes it.
  return /\p{Surrogate}/u.test(id) ? `~~${await hashOf(JSON.stringify(id))}` : `~${await hashOf(id)}`;
}

/**
 * Reads an object of version 1.
 * @throws ConfigurationError another version of the package or another program wrote the data
 */
export function parseStored(key: string, data: string): object {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // The message of the parser would quote the data.
  }
  if (typeof value === 'object' && value !== null && (value as { v?: unknown }).v === 1) return value;
  throw new ForeignDataError(
    `This version of the package cannot read the data under the key ${key}. A newer version may have written it. The ` +
      'data was not changed. Update the package in this process, or use a separate store for each version.',
  );
}
