import { InvalidRequestError, type Issue } from '../core/errors.js';
import { isFirstVersion } from './versions.js';

/** What a B-tree of Postgres takes beside the rest of an index entry (2,704 bytes on a page of 8 kB). */
const maxKeyBytes = 2_600;

/** With the flag u, a surrogate matches only where its other half is missing. */
const notStorable = /[\0\p{Surrogate}]/u;

/**
 * Arguments that one store would take and another one change or refuse are refused by each of them, in the same words.
 * @throws InvalidRequestError
 */
export function checkKey(key: string): void {
  check([...textIssues('key', key), ...keyIssues(key)]);
}

/** @throws InvalidRequestError */
export function checkInsert(key: string, data: string, wakeAt: number | null, version?: number): void {
  check([
    ...textIssues('key', key),
    ...keyIssues(key),
    ...textIssues('data', data),
    ...wakeAtIssues(wakeAt),
    ...(version === undefined || isFirstVersion(version)
      ? []
      : [issue('version', 'must be a whole number from 1 to 2^48')]),
  ]);
}

/** @throws InvalidRequestError */
export function checkSwap(key: string, version: number, data: string | null, wakeAt: number | null): void {
  check([
    ...textIssues('key', key),
    ...keyIssues(key),
    ...(Number.isSafeInteger(version) && version > 0 ? [] : [issue('version', 'must be a whole number above 0')]),
    ...(data === null ? [] : textIssues('data', data)),
    ...wakeAtIssues(wakeAt),
  ]);
}

/** @throws InvalidRequestError */
export function checkDue(prefix: string, now: number, limit: number): void {
  check([
    ...textIssues('prefix', prefix),
    ...(Number.isFinite(now) ? [] : [issue('now', 'must be milliseconds since 1970')]),
    ...limitIssues(limit),
  ]);
}

/** @throws InvalidRequestError */
export function checkScan(prefix: string, after: string | undefined, limit: number): void {
  check([
    ...textIssues('prefix', prefix),
    ...(after === undefined ? [] : textIssues('after', after)),
    ...limitIssues(limit),
  ]);
}

function check(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

function textIssues(name: string, text: unknown): Issue[] {
  if (typeof text !== 'string') return [issue(name, 'must be a string')];
  return notStorable.test(text)
    ? [issue(name, 'must not contain the character NUL (U+0000) or half a surrogate pair')]
    : [];
}

function keyIssues(key: unknown): Issue[] {
  // A UTF-16 code unit takes 3 bytes of UTF-8 at most: the bytes of most keys need no counting.
  if (typeof key !== 'string' || key.length * 3 <= maxKeyBytes) return [];
  const bytes = new TextEncoder().encode(key).length;
  return bytes <= maxKeyBytes
    ? []
    : [issue('key', `must have at most ${maxKeyBytes} bytes of UTF-8; this one has ${bytes}`)];
}

function wakeAtIssues(wakeAt: unknown): Issue[] {
  return wakeAt === null || Number.isFinite(wakeAt)
    ? []
    : [issue('wakeAt', 'must be milliseconds since 1970, or null for never')];
}

function limitIssues(limit: unknown): Issue[] {
  return Number.isSafeInteger(limit) && (limit as number) > 0 ? [] : [issue('limit', 'must be a whole number above 0')];
}

function issue(name: string, message: string): Issue {
  return { path: [name], message };
}
