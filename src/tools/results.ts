/** How the result of any call is made: its size, its lists, and what follows an error. */
import { shortText, withoutUndefined, type Fields } from '../core/json.js';
import { mostItems, type ToolResult } from './tool.js';
import {
  formatIssues,
  isApiError,
  isErrorNamed,
  isPackageError,
  type Issue,
  type SocialPublishingError,
  outcomeOf,
} from '../core/errors.js';
import type { InvalidInput, ListPart } from './fields.js';

/** The maximum size of `data` as JSON in UTF-8. */
const mostBytes = 16_384;

/** Fields with text of any length. Only these are shortened: a cut ID or cursor is useless. */
const textFields: ReadonlySet<string> = new Set(['content', 'text', 'untrustedText', 'error', 'warning', 'dmMessage']);
const textLengths = [4_000, 2_000, 1_000, 500, 250, 100];

export function ok(summary: string, data: Fields, next?: string): ToolResult {
  return result('ok', summary, { data, next });
}

export function result(
  status: ToolResult['status'],
  summary: string,
  { data, next }: { readonly data?: Fields | undefined; readonly next?: string | undefined } = {},
): ToolResult {
  return withoutUndefined({ status, summary, data: data && fitted(data), next });
}

/**
 * Creates the result of a list: as many items as fit, and a cursor if there are more.
 * @param name the name of the list in `data`: its kind of items, in the plural
 */
export function listResult<Item>(name: string, part: ListPart<Item>, viewOf: (item: Item) => Fields): ToolResult {
  const { cursorAfter, also } = part;
  const items = part.items.map((item) => viewOf(item));
  const dataOf = (count: number): Fields =>
    withoutUndefined({ ...also, [name]: items.slice(0, count), cursor: cursorAfter(count) });
  let count = Math.min(items.length, mostItems);
  while (count > 1 && bytesOf(dataOf(count)) > mostBytes) count -= 1;
  const data = dataOf(count);
  const summary = `${String(count)} ${count === 1 ? name.replace(/s$/, '') : name}${'cursor' in data ? '; there are more' : ''}.`;
  return ok(summary, data, 'cursor' in data ? 'To read more, call again with this cursor.' : undefined);
}

function bytesOf(data: Fields): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/** Shortens long texts until the data fits. */
function fitted(data: Fields): Fields {
  if (bytesOf(data) <= mostBytes) return data;
  for (const length of textLengths) {
    // An object stays an object.
    const shorter = { ...(shortened(data, length, false) as Fields), truncated: true };
    if (bytesOf(shorter) <= mostBytes) return shorter;
  }
  return withoutUndefined({ truncated: true, cursor: data['cursor'] });
}

function shortened(value: unknown, length: number, isText: boolean): unknown {
  if (typeof value === 'string') return isText ? shortText(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, length, isText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shortened(inner, length, isText || textFields.has(name))]),
  );
}

/** Text for a question to the user, in one line. A line break, or another control character, could hide a part of it. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');
}

/** The agent's own text for a question to the user, in quotes. */
export function quoted(text: string): string {
  return `"${shortText(oneLine(text), 300)}"`;
}

/** Puts text from other people into the only field that may contain it. */
export function untrusted(fields: Fields): Fields {
  const texts = withoutUndefined(fields);
  return Object.keys(texts).length === 0 ? {} : { untrustedText: texts };
}

/** Keeps a list inside an item short. */
export function atMost<Item>(
  name: string,
  items: readonly Item[] = [],
  viewOf: (item: Item, index: number) => unknown = (item) => item,
): Fields {
  if (items.length === 0) return {};
  const more = items.length - mostItems;
  return { [name]: items.slice(0, mostItems).map(viewOf), ...(more > 0 ? { [`more_${name}`]: more } : {}) };
}

/** Shortens the text of a post. */
export function shownContent(content: string | undefined): string | undefined {
  return content === undefined ? undefined : shortText(content, 1_000);
}

const longestMessage = 500;

/** The result of a call with wrong input. */
export function invalid({ issues, next, data }: Pick<InvalidInput, 'issues'> & Partial<InvalidInput>): ToolResult {
  return result('invalid', `${shortText(formatIssues(issues), longestMessage)}. Nothing was sent.`, {
    data: { issues: issues.slice(0, mostItems).map(shortIssue), ...data },
    next: next ?? 'Fix the named field and call again.',
  });
}

/** The name of a field in the input can have any length. */
function shortIssue({ path, message }: Issue) {
  return { field: shortText(path.join('.'), 100), message: shortText(message, 300) };
}

/** The next step for a key with another content, in the other states of its post. */
export const contentOfKey =
  'To repeat a call, pass the content that the key has. Use a new key only if the user asks for a second post or message.';

/**
 * The result of a call that threw. Messages of this package contain no secret; other messages, for example of a driver, are
 * not quoted.
 * @param how how to repeat the call, if nothing of it was executed
 */
export function errorResult(error: unknown, how?: string): ToolResult {
  const again = how === undefined ? 'Call again with the same input.' : `Nothing was executed: ${how}.`;
  if (isErrorNamed(error, 'InvalidRequestError')) return invalid(error);
  if (isErrorNamed(error, 'IntentConflictError')) {
    const another = 'This key already has another content. Nothing was sent.';
    if (error.services === undefined) return result('rejected', another, { next: contentOfKey });
    return result('rejected', `This key belongs to the service ${error.services.recorded}. Nothing was sent.`, {
      next: 'Ask the user to check the base URL and the store of these tools. A new key would publish the post at this service too.',
    });
  }
  if (isErrorNamed(error, 'CreditLimitError')) {
    return result('rejected', 'The call would pass the credit budget. Nothing was sent.', {
      data: { creditsUsed: error.creditsUsed, maxCredits: error.maxCredits },
      next: 'Ask the user for a larger budget.',
    });
  }
  if (!isPackageError(error)) {
    const name = error instanceof Error ? error.name : typeof error;
    return result('failed', `An unexpected error ended the call (${name}).`, { next: again });
  }
  const { message, name } = error;
  const { status, next } = stepAfter(error, again, how);
  const httpStatus = isApiError(error) ? error.status : undefined;
  const data = withoutUndefined({ error: shortText(message, longestMessage), name, httpStatus });
  return result(status, oneSentence(message), { data, next });
}

/** The status and the next step after an error of the client or of a store. */
function stepAfter(
  error: SocialPublishingError,
  again: string,
  how: string | undefined,
): Pick<ToolResult, 'status' | 'next'> {
  const status = 'failed';
  if (isErrorNamed(error, 'NotFoundError'))
    return { status, next: 'Check the IDs of the input: list_accounts and list_posts show the valid ones.' };
  if (isErrorNamed(error, 'RateLimitError')) return { status, next: afterPause(error, how) };
  if (isErrorNamed(error, 'AuthenticationError') || isErrorNamed(error, 'PermissionError'))
    return { status, next: 'Ask the user to check the access key.' };
  if (isApiError(error) && outcomeOf(error) === 'rejected')
    return { status: 'rejected', next: 'Fix the cause that the error names, or report it.' };
  // A store that failed may have failed after a send. Every write has a key.
  const isOpen =
    isApiError(error) || ['ConnectionError', 'TimeoutError'].includes(error.name) || outcomeOf(error) === 'unknown';
  return { status, next: isOpen ? again : 'Report the error to the user.' };
}

/** Says when to repeat a call that the service was too busy for. */
export function afterPause(
  { retryAfterMs }: { readonly retryAfterMs?: number | undefined },
  how = 'call again',
): string {
  if (retryAfterMs === undefined) return `Wait a minute, then ${how}.`;
  return `Wait ${String(Math.ceil(retryAfterMs / 1_000))} seconds, then ${how}.`;
}

function oneSentence(message: string): string {
  const text = shortText(message.replace(/\s+/g, ' '), longestMessage);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
