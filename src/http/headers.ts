import { ConfigurationError } from '../core/errors.js';

/** The header that carries the access key. */
export const keyHeader = 'x-access-key';

/** Headers by their names in lower case. */
export type PlainHeaders = Readonly<Record<string, string>>;

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const forbiddenInValue = /[\0\r\n]|[^\0-\u00ff]/;
/** These speak of the connection or of the body's length, which are for `fetch` to know. It refuses them, or drops them in silence. */
const refusedByFetch: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

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
      throw new ConfigurationError('headers hold a name that is not allowed in an HTTP header.');
    const key = name.toLowerCase();
    if (key === keyHeader) throw new ConfigurationError(`headers must not hold ${keyHeader}. Give it as accessKey.`);
    if (refusedByFetch.has(key))
      throw new ConfigurationError(`headers must not hold ${key}: it is for the connection alone.`);
    const text = readValue(key, value);
    read[key] = key in read ? `${read[key] ?? ''}, ${text}` : text;
  }
  return read;
}

/** An object, a `Headers` of any realm, entries, or a `Map`. */
function entriesOf(headers: unknown): Iterable<readonly [unknown, unknown]> {
  const wrong = new ConfigurationError('headers must be an object, Headers, a Map, or entries of name and value.');
  if (typeof headers !== 'object' || headers === null) throw wrong;
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
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
      `headers.${name} must be a string. Leave the header out, or give undefined, for none.`,
    );
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (forbiddenInValue.test(text))
    throw new ConfigurationError('headers hold a name or a value that is not allowed in an HTTP header.');
  return text;
}
