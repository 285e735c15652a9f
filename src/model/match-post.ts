import { hasOffset, instantOf } from './instant.js';

/** Whether a listed post is the one that a request made. Pure: what is known of both is all that counts. */

/** What tells of a listed post which request made it. */
export interface ListedPost {
  readonly content?: string | undefined;
  readonly status?: string | undefined;
  readonly scheduledFor?: string | undefined;
  readonly platforms?: readonly { readonly platform?: string | undefined }[] | undefined;
  readonly rawRequestBody?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * How well a post fits a request, best first.
 *
 * - `exact`: the service kept the very request (the order of keys, the spelling of a time and empty fields that were sent aside).
 * - `more`: it kept all of it, and something besides that it may have added itself.
 * - `similar`: it kept no request; content, targets, time and being a draft are the same.
 */
export type PostMatch = 'exact' | 'more' | 'similar';

type Fields = Readonly<Record<string, unknown>>;

/** The documented fields of a create. What stands in them was sent: the service adds none of them by itself. */
const sentFields: ReadonlySet<string> = new Set([
  'content',
  'platforms',
  'saveAsDraft',
  'publishNow',
  'scheduledFor',
  'platform',
  'accountId',
]);

/** No time zone is further from UTC, in milliseconds. */
const furthestOffsetMs = 15 * 3_600_000;

/** How well a listed post fits a create's body as it was sent; `undefined`: it is another post. */
export function matchPost(sent: Fields, post: ListedPost): PostMatch | undefined {
  const { rawRequestBody: kept } = post;
  if (kept === undefined) return isSimilar(sent, post) ? 'similar' : undefined;
  if (!holds(kept, sent) || hasMoreSent(kept, sent)) return undefined;
  return hasOtherFields(kept, sent) ? 'more' : 'exact';
}

/** A field that is empty says as much as one that is missing. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Whether all of one value stands in another one, which may have more fields. */
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
  if (!isObject(part) || !isObject(whole)) return false;
  return Object.entries(part).every(([name, value]) => isEmpty(value) || holds(ownField(whole, name), value));
}

/** Whether a kept request has something that only a caller can have sent, and that this one did not send. */
function hasMoreSent(kept: unknown, sent: unknown): boolean {
  if (Array.isArray(kept)) return Array.isArray(sent) && kept.some((item, index) => hasMoreSent(item, sent[index]));
  if (!isObject(kept) || !isObject(sent)) return false;
  return Object.entries(kept).some(([name, value]) => {
    const own = ownField(sent, name);
    if (!isEmpty(own)) return hasMoreSent(value, own);
    // A list that is not empty, for example of files, is nothing that a service makes up.
    return !isEmpty(value) && (sentFields.has(name) || Array.isArray(value));
  });
}

/** Whether a kept request has fields, at any depth, that were not sent. */
function hasOtherFields(kept: unknown, sent: unknown): boolean {
  if (Array.isArray(kept)) return Array.isArray(sent) && kept.some((item, index) => hasOtherFields(item, sent[index]));
  if (!isObject(kept)) return false;
  return Object.entries(kept).some(
    ([name, value]) => !isObject(sent) || !Object.hasOwn(sent, name) || hasOtherFields(value, sent[name]),
  );
}

function isSimilar(sent: Fields, post: ListedPost): boolean {
  const { content, platforms, scheduledFor, saveAsDraft } = sent;
  const isDraft = saveAsDraft === true;
  return (
    (post.content ?? '') === (content ?? '') &&
    sameTargets(listOf(platforms), listOf(post.platforms)) &&
    // A time that was not sent may be one that the service set.
    (isEmpty(scheduledFor) || sameTime(scheduledFor, post.scheduledFor)) &&
    (post.status === undefined || (post.status === 'draft') === isDraft)
  );
}

function sameTime(sent: unknown, listed: string | undefined): boolean {
  const [wanted, told] = [instantOf(typeof sent === 'string' ? sent : undefined), instantOf(listed)];
  if (wanted === undefined || told === undefined) return sent === listed;
  // In which time zone the service read it is not known here.
  if (!hasOffset(sent as string)) return Math.abs(wanted - told) <= furthestOffsetMs;
  return wanted === told;
}

/** A listed target names its platform. Where it names its account too, that is compared. */
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

/** The document shows no account of a listed target; a reply keeps fields that it does not show. */
function accountOf(target: Fields): unknown {
  return target['accountId'] ?? target['integrationId'] ?? undefined;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
