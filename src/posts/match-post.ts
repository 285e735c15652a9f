import { isFields, type Fields } from '../core/json.js';
import { hasOffset, instantOf } from '../model/instant.js';
import type { Post } from './post-shapes.js';

/** Compares a listed post with a request. All functions are pure. */

/**
 * How well a post fits a request, best first.
 *
 * - `exact`: the service kept an equal request. The order of keys, the format of a time and empty fields may differ.
 * - `more`: it kept the whole request, and other fields that it may have added.
 * - `similar`: it kept no request; content, targets, time and draft status agree.
 */
export type PostMatch = 'exact' | 'more' | 'similar';

/** The documented fields of a create. Their values were sent: the service adds none of these fields. */
const sentFields: ReadonlySet<string> = new Set([
  'content',
  'platforms',
  'saveAsDraft',
  'publishNow',
  'scheduledFor',
  'platform',
  'accountId',
]);

/** The largest offset of a time zone from UTC, in milliseconds. */
const furthestOffsetMs = 15 * 3_600_000;

/** Returns how well a listed post fits a create's body as sent; `undefined`: it is another post. */
export function matchPost(sent: Fields, post: Omit<Post, 'postId'>): PostMatch | undefined {
  const { rawRequestBody: kept } = post;
  if (kept === undefined) return isSimilar(sent, post) ? 'similar' : undefined;
  if (!holds(kept, sent) || hasMoreSent(kept, sent)) return undefined;
  return hasOtherFields(kept, sent) ? 'more' : 'exact';
}

/** An empty field equals a missing one. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Whether one value contains another one; it may have more fields. */
function holds(whole: unknown, part: unknown): boolean {
  if (Object.is(whole, part)) return true;
  if (typeof whole === 'string' && typeof part === 'string') {
    const instant = instantOf(part);
    return instant !== undefined && instant === instantOf(whole);
  }
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) && whole.length === part.length && part.every((item, index) => holds(whole[index], item))
    );
  }
  if (!isFields(part) || !isFields(whole)) return false;
  return Object.entries(part).every(([name, value]) => isEmpty(value) || holds(ownField(whole, name), value));
}

/** Whether a kept request has a value that only a caller can send, and that this caller did not send. */
function hasMoreSent(kept: unknown, sent: unknown): boolean {
  if (Array.isArray(kept)) return Array.isArray(sent) && kept.some((item, index) => hasMoreSent(item, sent[index]));
  if (!isFields(kept) || !isFields(sent)) return false;
  return Object.entries(kept).some(([name, value]) => {
    const own = ownField(sent, name);
    if (!isEmpty(own)) return hasMoreSent(value, own);
    // A service does not invent a non-empty list, for example of files.
    return !isEmpty(value) && (sentFields.has(name) || Array.isArray(value));
  });
}

/** Whether a kept request has fields, at any depth, that were not sent. */
function hasOtherFields(kept: unknown, sent: unknown): boolean {
  if (Array.isArray(kept)) return Array.isArray(sent) && kept.some((item, index) => hasOtherFields(item, sent[index]));
  if (!isFields(kept)) return false;
  return Object.entries(kept).some(
    ([name, value]) => !isFields(sent) || !Object.hasOwn(sent, name) || hasOtherFields(value, sent[name]),
  );
}

function isSimilar(sent: Fields, post: Omit<Post, 'postId'>): boolean {
  const { content, platforms, scheduledFor, saveAsDraft } = sent;
  const isDraft = saveAsDraft === true;
  return (
    (post.content ?? '') === (content ?? '') &&
    sameTargets(listOf(platforms), listOf(post.platforms)) &&
    // The service may have set a time that was not sent.
    (isEmpty(scheduledFor) || sameTime(scheduledFor, post.scheduledFor)) &&
    (post.status === undefined || (post.status === 'draft') === isDraft)
  );
}

function sameTime(sent: unknown, listed: string | undefined): boolean {
  const [wanted, told] = [instantOf(typeof sent === 'string' ? sent : undefined), instantOf(listed)];
  if (wanted === undefined || told === undefined) return sent === listed;
  // The time zone in which the service read it is unknown here.
  if (!hasOffset(sent as string)) return Math.abs(wanted - told) <= furthestOffsetMs;
  return wanted === told;
}

/** Compares the platforms of the targets, and the accounts if the listed target contains them. */
function sameTargets(sent: readonly Fields[], listed: readonly Fields[]): boolean {
  if (sent.length !== listed.length) return false;
  const left = [...sent];
  const accountFirst = [...listed].sort(
    (a, b) => Number(accountOf(a) === undefined) - Number(accountOf(b) === undefined),
  );
  return accountFirst.every((target) => {
    const account = accountOf(target);
    const at = left.findIndex(
      ({ platform, accountId }) => platform === target['platform'] && (account ?? accountId) === accountId,
    );
    return at !== -1 && left.splice(at, 1).length === 1;
  });
}

/** The document shows no account of a listed target, but a reply keeps undocumented fields. */
function accountOf(target: Fields): unknown {
  return target['accountId'] ?? target['integrationId'] ?? undefined;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
