import { InvalidRequestError, type Issue, ConfigurationError } from '../core/errors.js';
import { isObjectWith, issueAt, type OptionCheck } from '../core/call/options.js';

/** Checks an option `store`. */
export const isStore: OptionCheck = (value, path, issues) => {
  if (isObjectWith(value, ['get', 'insert', 'swap', 'due', 'scan'])) return;
  const instead = typeof value === 'string' ? storeFor(value) : undefined;
  issues.push(
    issueAt(
      path,
      instead === undefined
        ? 'must be a DurableStore: SqliteStore, PostgresStore, RedisStore or MemoryDurableStore'
        : `must be a DurableStore, not a string. Pass ${instead}`,
    ),
  );
};

/** Does not quote a URL, which can contain a password. */
function storeFor(text: string): string {
  if (/^postgres(ql)?:/i.test(text)) return 'new PostgresStore(pool)';
  if (/^rediss?:/i.test(text)) return 'new RedisStore(client)';
  return `new SqliteStore('${/^[\w./-]{1,100}$/.test(text) ? text : 'intents.db'}')`;
}

/** The space that a Postgres B-tree leaves for a key in an index entry (2,704 bytes on a page of 8 kB). */
const maxKeyBytes = 2_600;

/** With the flag u, a surrogate matches only where its other half is missing. */
const notStorable = /[\0\p{Surrogate}]/u;

/**
 * All stores refuse the same arguments with the same messages, even if one engine would accept them.
 * @throws InvalidRequestError
 */
export function checkKey(key: string): void {
  const issues: Issue[] = [];
  addKeyIssues(issues, key);
  refuse(issues);
}

/** @throws InvalidRequestError */
export function checkInsert(key: string, data: string, wakeAt: number | null): void {
  const issues: Issue[] = [];
  addKeyIssues(issues, key);
  addTextIssues(issues, 'data', data);
  addWakeAtIssues(issues, wakeAt);
  refuse(issues);
}

/** @throws InvalidRequestError */
export function checkSwap(key: string, version: number, data: string | null, wakeAt: number | null): void {
  const issues: Issue[] = [];
  addKeyIssues(issues, key);
  addWholeIssues(issues, 'version', version);
  if (data !== null) addTextIssues(issues, 'data', data);
  addWakeAtIssues(issues, wakeAt);
  refuse(issues);
}

/** @throws InvalidRequestError */
export function checkDue(prefix: string, now: number, limit: number): void {
  const issues: Issue[] = [];
  addTextIssues(issues, 'prefix', prefix);
  if (!Number.isFinite(now)) issues.push(issueAt(['now'], 'must be milliseconds since 1970'));
  addWholeIssues(issues, 'limit', limit);
  refuse(issues);
}

/** @throws InvalidRequestError */
export function checkScan(prefix: string, after: string | undefined, limit: number): void {
  const issues: Issue[] = [];
  addTextIssues(issues, 'prefix', prefix);
  if (after !== undefined) addTextIssues(issues, 'after', after);
  addWholeIssues(issues, 'limit', limit);
  refuse(issues);
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

function addTextIssues(issues: Issue[], name: string, text: unknown): void {
  if (typeof text !== 'string') issues.push(issueAt([name], 'must be a string'));
  else if (notStorable.test(text))
    issues.push(issueAt([name], 'must not contain the character NUL (U+0000) or half a surrogate pair'));
}

function addKeyIssues(issues: Issue[], key: unknown): void {
  addTextIssues(issues, 'key', key);
  if (typeof key !== 'string') return;
  const bytes = new TextEncoder().encode(key).length;
  if (bytes > maxKeyBytes)
    issues.push(issueAt(['key'], `must have at most ${maxKeyBytes} bytes of UTF-8; this one has ${bytes}`));
}

function addWholeIssues(issues: Issue[], name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) issues.push(issueAt([name], 'must be a whole number above 0'));
}

function addWakeAtIssues(issues: Issue[], wakeAt: unknown): void {
  if (wakeAt !== null && !Number.isFinite(wakeAt))
    issues.push(issueAt(['wakeAt'], 'must be milliseconds since 1970, or null for never'));
}

/** The table of the SQL stores where none is named. */
export const defaultTable = 'social_publishing';

/**
 * Takes names that need no more than quotes. With `_due` they are the name of the index, which Postgres cuts off after
 * 63 bytes.
 * @throws ConfigurationError
 */
export function checkTable(table: string): void {
  if (typeof table !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,58}$/.test(table)) {
    throw new ConfigurationError(
      'table must be a name of at most 59 letters, digits and underscores, without a schema: search_path decides where it is.',
    );
  }
}
