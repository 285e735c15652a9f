import { ConfigurationError, InvalidRequestError } from '../core/errors.js';
import type { IntentRecord } from './record.js';

/** The form in which this version writes; it reads this one and older ones. */
const format = 1;
/** The keys of intents in the store. */
export const intentPrefix = 'intent/';
const maxKeyLength = 512;
/** With the flag u, a surrogate matches only where its other half is missing. */
const notStorable = /[\0\p{Surrogate}]/u;

/**
 * Where an intent lies in the store.
 * @throws InvalidRequestError for a key that no store could hold
 */
export function storeKey(key: string): string {
  const wrong =
    typeof key !== 'string'
      ? 'must be a string'
      : key === '' || key.length > maxKeyLength
        ? `must have 1 to ${maxKeyLength} characters`
        : notStorable.test(key)
          ? 'must not contain the character NUL (U+0000) or half a surrogate pair'
          : undefined;
  if (wrong !== undefined) throw new InvalidRequestError([{ path: ['key'], message: wrong }]);
  return intentPrefix + key;
}

/** An item of the store, with the number of the form that it has. */
export function encode(value: object): string {
  return JSON.stringify({ format, ...value });
}

/**
 * Reads an item of the store.
 * @throws ConfigurationError a newer version wrote it, or it is none of the publisher's
 */
export function decode(storedAt: string, data: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    value = undefined;
  }
  const found = typeof value === 'object' && value !== null ? (value as { format?: unknown }).format : undefined;
  if (typeof found !== 'number') {
    throw new ConfigurationError(
      `The store holds something under '${storedAt}' that no publisher wrote. It was left as it is: ` +
        'give the publisher a store, a table or a prefix of its own.',
    );
  }
  if (found > format) {
    throw new ConfigurationError(
      `A newer version of social-publishing wrote '${storedAt}' (form ${found}; this version reads up to ${format}). ` +
        'It was left as it is: bring this process to the same version.',
    );
  }
  // An object with a format was written by `encode`.
  return value as Record<string, unknown>;
}

/** Without its key, which is that of the item. */
export function encodeIntent(record: IntentRecord): string {
  return encode({ ...record, key: undefined });
}

/** @throws ConfigurationError a newer version wrote it, or it is none of the publisher's */
export function decodeIntent(storedAt: string, data: string): IntentRecord {
  const { format: _format, ...record } = decode(storedAt, data);
  // What `encodeIntent` wrote.
  return { ...record, key: storedAt.slice(intentPrefix.length) } as IntentRecord;
}
