import { ConfigurationError } from '../core/errors.js';
import { isSecretName } from '../core/redactor.js';

export const keyHeader = 'x-access-key';

/** Headers by their names in lower case. */
export type PlainHeaders = Readonly<Record<string, string>>;

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const forbiddenInValue = /[\0\r\n]|[^\0-\u00ff]/;
/** Headers of the connection or of the body's length: `fetch` refuses them, or drops them silently. */
const refusedByFetch = /^(?:connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/;

/** Headers that the client or the runtime sets. */
const ownHeaders = /^(?:accept|content-type|host|traceparent|user-agent)$/;

/**
 * Checks the name of a header that carries an ID.
 * @throws ConfigurationError
 */
export function checkIdHeader(name: unknown): string {
  const key = typeof name === 'string' ? name.toLowerCase() : '';
  if (!token.test(key) || refusedByFetch.test(key) || ownHeaders.test(key) || isSecretName(key))
    throw new ConfigurationError(
      "requestIdHeader must be the name of a header without another meaning, such as 'x-request-id'.",
    );
  return key;
}

/**
 * Reads headers without quoting a value that is refused.
 * @throws ConfigurationError
 */
export function readHeaders(headers: unknown): PlainHeaders {
  // No prototype: a header may have any name.
  const read = Object.create(null) as Record<string, string>;
  if (headers === undefined) return read;
  for (const [name, value] of entriesOf(headers)) {
    if (value === undefined) continue;
    if (typeof name !== 'string' || !token.test(name))
      throw new ConfigurationError(
        'headers contain a name that is not allowed in an HTTP header. Use letters, digits and hyphens.',
      );
    const key = name.toLowerCase();
    if (key === keyHeader)
      throw new ConfigurationError(`headers must not contain ${keyHeader}. Pass the key as accessKey.`);
    if (refusedByFetch.test(key))
      throw new ConfigurationError(`headers must not contain ${key}: the connection sets it. Remove it.`);
    const text = readValue(key, value);
    read[key] = key in read ? `${read[key] ?? ''}, ${text}` : text;
  }
  return read;
}

/** Reads the headers that a hook returned, without invalid ones. Other values add no headers. */
export function readAddedHeaders(given: unknown): PlainHeaders {
  const added: Record<string, string> = {};
  for (const entry of mayBeHeaders(given) ? entriesOf(given) : []) {
    try {
      Object.assign(added, readHeaders([entry]));
    } catch {
      // Omitted: a hook cannot break a call.
    }
  }
  return added;
}

/** A short function returns its last expression: a `Map` that it sets, a logger, its payload. These are not headers. */
function mayBeHeaders(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || 'callId' in given) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return (
    Array.isArray(given) ||
    // Any object can have the field.
    (given as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === 'Headers' ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}

function entriesOf(headers: unknown): Iterable<readonly [unknown, unknown]> {
  const wrong = new ConfigurationError('headers must be an object, Headers, a Map, or entries of name and value.');
  if (typeof headers !== 'object' || headers === null) throw wrong;
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  // Each entry is checked in the next line.
  const entries = [...(headers as Iterable<unknown>)];
  if (!entries.every(isEntry)) throw wrong;
  return entries;
}

function isEntry(entry: unknown): entry is readonly [unknown, unknown] {
  return Array.isArray(entry) && entry.length === 2;
}

function readValue(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new ConfigurationError(
      `headers.${name} must be a string. To send no such header, omit it or pass undefined.`,
    );
  const text = String(value).replace(/^[\t\n\r ]+|(?<![\t\n\r ])[\t\n\r ]+$/g, '');
  if (forbiddenInValue.test(text))
    throw new ConfigurationError(
      'headers contain a name or a value that is not allowed in an HTTP header. Encode the value.',
    );
  return text;
}
