import { InvalidRequestError, type Issue } from '../core/errors.js';
import { notStorable } from '../core/json.js';
import { hasMethods, ifPassed, issueAt, optional, required, type OptionCheck } from '../core/call/options.js';

/** Checks an option `store`. */
export const isStore = hasMethods(
  'a DurableStore: SqliteStore, PostgresStore, RedisStore or MemoryDurableStore',
  ...['get', 'insert', 'swap', 'due', 'scan'],
);

/** The space that a Postgres B-tree leaves for a key in an index entry (2,704 bytes on a page of 8 kB). */
const maxKeyBytes = 2_600;

const isText: OptionCheck = (value, path, issues) => {
  if (typeof value !== 'string') issues.push(issueAt(path, 'must be a string'));
  else if (notStorable.test(value))
    issues.push(issueAt(path, 'must not contain the character NUL (U+0000) or half a surrogate pair'));
};

const isKey: OptionCheck = (value, path, issues) => {
  isText(value, path, issues);
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value).length : 0;
  if (bytes > maxKeyBytes)
    issues.push(issueAt(path, `must have at most ${maxKeyBytes} bytes of UTF-8; this one has ${bytes}`));
};

const isAboveZero = required('a whole number above 0', (value) => Number.isSafeInteger(value) && Number(value) > 0);

const checks = {
  key: isKey,
  version: isAboveZero,
  data: isText,
  wakeAt: required('milliseconds since 1970, or null for never', (value) => value === null || Number.isFinite(value)),
  prefix: isText,
  // As a bare argument, the method would keep this table in bundles without a store: reading it may have an effect.
  now: required('milliseconds since 1970', (value) => Number.isFinite(value)),
  after: ifPassed(isText),
  limit: isAboveZero,
};

/**
 * All stores refuse the same arguments with the same messages, even if one engine would accept them.
 * @param passed the arguments by name, in their order
 * @throws InvalidRequestError
 */
export function checkArguments(passed: { readonly [Name in keyof typeof checks]?: unknown }): void {
  const issues: Issue[] = [];
  // It has only these names.
  for (const [name, value] of Object.entries(passed)) checks[name as keyof typeof checks](value, [name], issues);
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

/** The table of the SQL stores where none is named. */
export const defaultTable = 'social_publishing';

/**
 * Checks an option `table`: a name that needs no more than quotes. With `_due` it is the name of the index, which Postgres
 * cuts off after 63 bytes.
 */
export const isTable = optional(
  'a name of at most 59 letters, digits and underscores, without a schema: search_path decides where it is',
  (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,58}$/.test(value),
);
