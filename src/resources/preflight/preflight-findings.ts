/** The checks of `preflight`. They read nothing: all functions are pure. Times are milliseconds since 1970. */
import type { Issue } from '../../core/errors.js';
import { areFields, isFields, type Fields } from '../../core/json.js';
import { instantOf, dayMs } from '../../model/instant.js';
import { isKnownPlatform, type Platform } from '../../model/known-values.js';
import { requestedTargets, targetResults, type TargetResult } from '../../model/targets.js';
import { attentionReason, type IntegrationDetail } from '../integrations.js';
import type { Post } from '../../posts/post-shapes.js';
import { textLimits, textUnits } from './text-limits.js';

/** The kind of a {@link PreflightFinding}. */
export type PreflightCode =
  | 'invalid'
  | 'account_not_found'
  | 'platform_mismatch'
  | 'reconnect_required'
  | 'token_expires'
  | 'time_passed'
  | 'duplicate'
  | 'time_conflict'
  | 'text_too_long'
  | 'media_missing'
  | 'not_checked';

/** One thing that `preflight` found. */
export interface PreflightFinding {
  /**
   * `invalid`: `posts.create` would refuse the body. `account_not_found`, `platform_mismatch`: no such account, or it
   * belongs to another platform. `reconnect_required`: the account needs a new login now. `token_expires`: its token
   * expires before the post's time. `time_passed`: `scheduledFor` is in the past. `duplicate`: a post with an equal text
   * for the same account. `time_conflict`: another post of the account at almost the same time. `text_too_long`: above a
   * documented limit of the platform. `media_missing`: the platform needs media. `not_checked`: a read failed.
   */
  readonly code: PreflightCode;
  /** `error`: the post cannot be published as it is, or not in time. `warning`: decide yourself. */
  readonly severity: 'error' | 'warning';
  /** The problem, and what to do about it. */
  readonly message: string;
  /** The path of the field in the body, for example `['platforms', 0, 'accountId']`. Missing: it is not about a field. */
  readonly path?: Issue['path'];
  /** The platform of the target. Missing: it is not about a target, or the target names no platform. */
  readonly platform?: Platform;
  /** The account of the target, an integration ID. Missing: it is not about one account. */
  readonly accountId?: string;
}

/** A target of the post, with its position in `platforms`. */
export interface CheckedTarget {
  readonly index: number;
  readonly accountId: string;
  readonly platform: Platform | undefined;
  readonly content: string | undefined;
}

/** A listed post, or a planned post with a name. */
export interface KnownPost extends Post {
  readonly name?: string;
}

/** The state of an account: as read, as listed if its read failed, or missing. */
export type CheckedAccount = IntegrationDetail | 'missing';

/** A post to check, with everything that was read for it. */
export interface Checked {
  readonly targets: readonly CheckedTarget[];
  /** An account that could not be read is not in it. */
  readonly accounts: ReadonlyMap<string, CheckedAccount>;
  readonly posts: PostIndex;
  /** The post itself, if it is among them. */
  readonly own: KnownPost | undefined;
  /** The service's time. */
  readonly now: number;
  /** When the post goes out. `undefined`: unknown. */
  readonly at: number | undefined;
  readonly hasExtras: boolean;
}

const duplicateMs = dayMs;
const conflictMs = 5 * 60_000;
/** How far from the post's time the listed posts matter. */
export const postsWithinMs = duplicateMs;

const mediaPlatforms: readonly Platform[] = ['instagram', 'tiktok', 'youtube', 'pinterest'];

/** Returns the targets of a request, each account once. A repeated target is an issue of the create. */
export function targetsOf({ platforms, content }: Fields): CheckedTarget[] {
  const targets = new Map<string, CheckedTarget>();
  for (const [index, target] of (Array.isArray(platforms) ? platforms : []).entries()) {
    const { accountId, platform, content: own = content } = isFields(target) ? target : {};
    if (typeof accountId !== 'string' || accountId === '' || targets.has(accountId)) continue;
    targets.set(accountId, { index, accountId, platform: textOf(platform), content: textOf(own) });
  }
  return [...targets.values()];
}

/** Returns the findings that concern the targets, in the order of the targets. */
export function targetFindings(checked: Checked): PreflightFinding[] {
  return [
    ...checked.targets.flatMap((target) => [...accountFindings(checked, target), ...postFindings(checked, target)]),
    ...onePerPlatform(checked.targets).flatMap((target) => [
      ...textFindings(target),
      ...mediaFindings(checked, target),
    ]),
  ];
}

export function timeFindings(scheduledFor: number | undefined, now: number): PreflightFinding[] {
  if (scheduledFor === undefined || scheduledFor > now) return [];
  const message =
    `scheduledFor is ${isoOf(scheduledFor)}, and the service's time is ${isoOf(now)}. Choose a later time, or publish now: ` +
    'the API document does not say how the service handles a time in the past.';
  return [{ code: 'time_passed', severity: 'error', message, path: ['scheduledFor'] }];
}

export const notChecked = { code: 'not_checked', severity: 'warning' } as const;

function accountFindings({ accounts, now, at }: Checked, target: CheckedTarget): PreflightFinding[] {
  const { accountId, platform } = target;
  const account = accounts.get(accountId);
  if (account === undefined) return [];
  if (account === 'missing') {
    const message = `The account ${accountId} is not connected. integrations.list returns the connected accounts.`;
    return [{ ...aboutAccount(target), code: 'account_not_found', severity: 'error', message }];
  }
  const findings: PreflightFinding[] = [];
  if (platform !== undefined && account.platform !== undefined && account.platform !== platform) {
    const message = `The account ${accountId} belongs to ${account.platform}, not to ${platform}. Pass targetOf(integration).`;
    findings.push({ ...aboutAccount(target), code: 'platform_mismatch', severity: 'error', message });
  }
  return [...findings, ...loginFindings(account, target, now, at)];
}

function loginFindings(
  account: IntegrationDetail,
  target: CheckedTarget,
  now: number,
  at: number | undefined,
): PreflightFinding[] {
  const reason = loginReason(account, now);
  if (reason !== undefined) {
    const message = `The account ${target.accountId} needs a new login: ${reason}. Connect it again before you publish.`;
    return [{ ...aboutAccount(target), code: 'reconnect_required', severity: 'error', message }];
  }
  if (at === undefined || attentionReason(account, at) !== 'expires_soon') return [];
  const message =
    `The token of the account ${target.accountId} expires at ${account.accessTokenExpiresAt ?? ''}, before scheduledFor, ` +
    'and does not refresh automatically. Connect the account again before then.';
  return [{ ...aboutAccount(target), code: 'token_expires', severity: 'warning', message }];
}

function loginReason(account: IntegrationDetail, now: number): string | undefined {
  switch (attentionReason(account, now)) {
    case 'auth_failed':
      return `the service reports a failed authorization (${textOf(account.authFailureReason) ?? String(account.authStatus)})`;
    case 'reconnect_required':
      return 'its token status asks for it';
    case 'expires_soon':
      return `its token expired at ${account.accessTokenExpiresAt ?? ''}`;
    default:
      return undefined;
  }
}

/** A listed post for the account of a target. */
interface Related {
  readonly post: KnownPost;
  readonly content: string | undefined;
  readonly at: number;
  /** How far it is from the time of the checked post. */
  readonly distance: number;
  /** Whether the list shows that it is for this account. */
  readonly isCertain: boolean;
}

function postFindings({ posts, own, at }: Checked, target: CheckedTarget): PreflightFinding[] {
  if (at === undefined) return [];
  const relatedUnder = (...keys: readonly (string | number)[]) =>
    [...new Set(keys.flatMap((key) => posts.get(key) ?? []))].flatMap((known) =>
      known.post === own ? [] : relatedOf(known, target, at),
    );
  const text = comparable(target.content);
  const slot = slotOf(at);
  const equal = text === '' ? [] : relatedUnder(text).filter(({ content }) => comparable(content) === text);
  const close = relatedUnder(slot - 1, slot, slot + 1).filter(
    ({ post, distance }) => distance <= conflictMs && post.status !== 'draft',
  );
  return [
    ...nearestFinding(target, equal, { code: 'duplicate', does: 'has the same text' }),
    ...nearestFinding(target, close, { code: 'time_conflict', does: 'goes out within 5 minutes of this post' }),
  ];
}

/** Returns a finding about the nearest post, or none. */
function nearestFinding(
  target: CheckedTarget,
  related: readonly Related[],
  { code, does }: { readonly code: PreflightCode; readonly does: string },
): PreflightFinding[] {
  const [first, ...others] = [...related].sort(
    (a, b) => Number(b.isCertain) - Number(a.isCertain) || a.distance - b.distance,
  );
  if (first === undefined) return [];
  const { post, at, isCertain } = first;
  const shown = `${post.name ?? `The post ${post.postId}`} (${post.status ?? 'status unknown'}, ${isoOf(at)})`;
  const owner = isCertain
    ? `is for the same account, ${target.accountId}`
    : `may be for the same account, ${target.accountId}: the list does not show its account`;
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  return [{ ...aboutAccount(target), code, severity: 'warning', message: `${shown} ${does} and ${owner}${more}.` }];
}

function relatedOf({ post, targets }: IndexedPost, wanted: CheckedTarget, at: number): Related[] {
  const found = targets.flatMap(({ result, content, time }) => {
    const distance = Math.abs(time - at);
    const isCertain = distance > postsWithinMs ? undefined : isFor(post, result, wanted);
    return isCertain === undefined ? [] : [{ post, content, at: time, distance, isCertain }];
  });
  const [first] = found.sort((a, b) => Number(b.isCertain) - Number(a.isCertain));
  return first === undefined ? [] : [first];
}

interface TimedTarget {
  readonly result: TargetResult;
  readonly content: string | undefined;
  readonly time: number;
}

interface IndexedPost {
  readonly post: KnownPost;
  readonly targets: readonly TimedTarget[];
}

/** Posts by the text of each target, and by the number of the 5 minutes in which it goes out. */
export type PostIndex = ReadonlyMap<string | number, readonly IndexedPost[]>;

export function indexOf(posts: readonly KnownPost[]): PostIndex {
  const index = new Map<string | number, IndexedPost[]>();
  for (const post of posts) {
    const known = { post, targets: timedTargetsOf(post) };
    const keys = known.targets.flatMap(({ content, time }) => [comparable(content), slotOf(time)]);
    for (const key of new Set(keys)) {
      const others = index.get(key);
      if (others === undefined) index.set(key, [known]);
      else others.push(known);
    }
  }
  return index;
}

function slotOf(time: number): number {
  return Math.floor(time / conflictMs);
}

/** Returns the targets of a post with their times. A failed post has none. */
function timedTargetsOf(post: KnownPost): readonly TimedTarget[] {
  const { platforms = [], status, scheduledFor, createdAt, content } = post;
  // The client passes on a reply that does not match the API document.
  const results = status === 'failed' || !areFields(platforms) ? [] : targetResults(post).all;
  return results.flatMap((result, index) => {
    const time = instantOf(result.publishedAt) ?? instantOf(scheduledFor) ?? instantOf(createdAt);
    return time === undefined ? [] : [{ result, content: textOf(platforms[index]?.content ?? content), time }];
  });
}

/** Whether the list shows that a target is for the account. `undefined`: it is not, or it failed. */
function isFor(post: Post, result: TargetResult, { accountId, platform }: CheckedTarget): boolean | undefined {
  if (result.state === 'failed') return undefined;
  if (result.accountId !== undefined) return result.accountId === accountId ? true : undefined;
  if (result.platform !== undefined && platform !== undefined && result.platform !== platform) return undefined;
  const requested = requestedTargets(post)?.get(result.platform ?? '');
  if (requested === undefined) return false;
  if (!requested.some((target) => target.accountId === accountId)) return undefined;
  // Several accounts of one platform: if one of them failed, the list does not show which.
  return targetResults(post).failed.every((failed) => failed.platform !== result.platform);
}

function textFindings({ platform, content, index }: CheckedTarget): PreflightFinding[] {
  const limit = isKnownPlatform(platform) ? textLimits[platform] : undefined;
  if (limit === undefined || platform === undefined || content === undefined) return [];
  const { name, lengthOf } = textUnits[limit.unit];
  const length = lengthOf(content);
  if (length <= limit.most) return [];
  const message =
    `The text has ${String(length)} ${name}. ${platform} documents at most ${String(limit.most)} for ` +
    `${limit.of} (${limit.source}, ${limit.checked}). The service may count differently.`;
  const about = { code: 'text_too_long', severity: 'warning', message, platform } as const;
  return [{ ...about, path: ['platforms', index] }];
}

function mediaFindings({ hasExtras }: Checked, { platform, index }: CheckedTarget): PreflightFinding[] {
  if (hasExtras || platform === undefined || !mediaPlatforms.includes(platform)) return [];
  const message = `A post for ${platform} needs media, and this post has no extraBody. Pass the media in extraBody.`;
  return [{ code: 'media_missing', severity: 'warning', message, path: ['platforms', index], platform }];
}

function onePerPlatform(targets: readonly CheckedTarget[]): CheckedTarget[] {
  const keys = targets.map(({ platform, content }) => JSON.stringify([platform, content]));
  return targets.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** The fields of a finding about the account of a target. */
export function aboutAccount({ index, accountId, platform }: CheckedTarget) {
  return {
    path: ['platforms', index, 'accountId'],
    ...(platform === undefined ? {} : { platform }),
    accountId,
  } as const;
}

/** White space and the Unicode form do not make a text another one. */
export function comparable(text: string | undefined): string {
  return (text ?? '').normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
