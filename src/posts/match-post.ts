import { isFields, type Fields } from '../core/json.js';
import { hasOffset, instantOf } from '../model/instant.js';
import type { Post } from './post-shapes.js';

/** Compares a listed post with a request. All functions are pure. */

/**
 * How well a post fits a request.
 *
 * - `equal`: the service kept an equal request. The order of keys, the format of a time and empty fields may differ.
 * - `similar`: it kept the whole request and fields that it may have added, or it kept no request, and content, targets,
 *   time and draft status agree.
 */
export type PostMatch = 'equal' | 'similar';

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
  if (kept !== undefined) return compare(kept, sent);
  return isSimilar(sent, post) ? 'similar' : undefined;
}

/** An empty field equals a missing one. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Compares a value of the kept request with the sent value. `undefined`: it is another value. */
function compare(kept: unknown, sent: unknown): PostMatch | undefined {
  if (Object.is(kept, sent)) return 'equal';
  if (typeof kept === 'string' && typeof sent === 'string') {
    const instant = instantOf(sent);
    return instant !== undefined && instant === instantOf(kept) ? 'equal' : undefined;
  }
  if (Array.isArray(sent)) {
    if (!Array.isArray(kept) || kept.length !== sent.length) return undefined;
    return weakest(sent.map((item, index) => compare(kept[index], item)));
  }
  if (!isFields(sent) || !isFields(kept)) return undefined;
  const names = new Set([...Object.keys(sent), ...Object.keys(kept)]);
  return weakest([...names].map((name) => compareField(name, kept, sent)));
}

function compareField(name: string, kept: Fields, sent: Fields): PostMatch | undefined {
  const value = ownField(kept, name);
  const sentValue = ownField(sent, name);
  if (!isEmpty(sentValue)) return compare(value, sentValue);
  if (isEmpty(value)) return Object.hasOwn(sent, name) ? 'equal' : 'similar';
  // Only a caller sends these fields, and a service does not invent a non-empty list, for example of files.
  return sentFields.has(name) || Array.isArray(value) ? undefined : 'similar';
}

function weakest(matches: readonly (PostMatch | undefined)[]): PostMatch | undefined {
  if (matches.includes(undefined)) return undefined;
  return matches.includes('similar') ? 'similar' : 'equal';
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
