import { InvalidRequestError, PublishError, type ReportedTarget } from '../core/errors.js';
import { issueAt } from '../core/options.js';
import type { Platform } from './platforms.js';
import { requestedTargets } from './requested-targets.js';

/** What became of one target of a post, whichever reply or event told of it. */
export interface TargetResult extends ReportedTarget {
  /** The platform. */
  readonly platform?: Platform | undefined;
}

/** The targets of a post by what became of them. Each list keeps the order of the reply or event. */
export interface TargetResults {
  /** Every target. */
  readonly all: readonly TargetResult[];
  /** What came out, with a warning or without. */
  readonly published: readonly TargetResult[];
  /** What came out with a warning, or with the error of an earlier attempt. These targets are in `published` too. */
  readonly warned: readonly TargetResult[];
  /** What did not come out, and will not. */
  readonly failed: readonly TargetResult[];
  /** What has neither come out nor failed: targets of drafts and of scheduled posts, and of posts that are being published. */
  readonly pending: readonly TargetResult[];
  /**
   * Passes where no target failed. A warning alone passes, and so does a target that is still pending: look at `pending`
   * where that matters.
   * @throws {@link PublishError} at least one target failed, or the post as a whole did
   */
  readonly assertAllPublished: () => void;
}

/** One target as a reply or an event tells of it. The three shapes have no field in common that means something else. */
export interface TargetInfo {
  /** The platform. */
  readonly platform?: Platform | undefined;
  /** The integration's ID, in an event. */
  readonly integrationId?: string | undefined;
  /** The target's status. Its values are not documented. */
  readonly status?: string | undefined;
  /** Whether it succeeded, in the reply to a create. */
  readonly success?: boolean | undefined;
  /** The post's ID on the platform. */
  readonly platformPostId?: string | null | undefined;
  /** The post's address on the platform. */
  readonly platformPostUrl?: string | null | undefined;
  /** When it was published there. */
  readonly publishedAt?: string | null | undefined;
  /** Why it failed, in the reply to a create. */
  readonly error?: string | undefined;
  /** Why it failed, in a listed post or an event. */
  readonly errorMessage?: string | null | undefined;
  /** What went less than well there. */
  readonly warningMessage?: string | null | undefined;
}

/** What {@link targetResults} reads: the reply to a create, a listed post, or a webhook event that is `known`. */
export type TargetSource =
  | {
      /** The post's ID. */
      readonly postId: string;
      /** The post's status. */
      readonly status?: string | undefined;
      /** Its targets. */
      readonly platforms?: readonly TargetInfo[] | undefined;
    }
  | {
      /** An event of a documented type and shape. */
      readonly known: true;
      /** The event's type. */
      readonly type: string;
      /** What it tells. */
      readonly data: {
        /** The targets. */
        readonly platforms: readonly TargetInfo[];
      };
    };

/**
 * Gives one view of the targets of a post, whether the reply to `posts.create`, a listed post or a webhook event tells
 * of them. With a subscription's `profileId`, an event tells only of the targets of that profile.
 *
 * @example
 * ```ts
 * const targets = targetResults(await client.posts.create(body));
 * for (const { platform, error } of targets.failed) console.error(platform, error);
 * ```
 * @throws {@link InvalidRequestError} it is none of the three; for an event that is not `known`, read its `payload`
 */
export function targetResults(source: TargetSource): TargetResults {
  const { targets, post } = read(source);
  const all = targets.map((target) => toResult(target, post));
  const having = (state: TargetResult['state']) => all.filter((target) => target.state === state);
  const published = having('published');
  const failed = having('failed');
  return {
    all,
    published,
    warned: published.filter((target) => target.warning !== undefined || target.error !== undefined),
    failed,
    pending: having('pending'),
    assertAllPublished: () => {
      if (failed.length > 0 || (all.length === 0 && post === 'failed')) throw new PublishError(failed, all);
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** How far the post as a whole is. `waiting`: nothing was published yet. `under_way`: publishing, partly out, or not told. */
type Progress = 'waiting' | 'under_way' | 'partial' | 'published' | 'failed';

const progressOf: Readonly<Record<string, Progress>> = {
  draft: 'waiting',
  pending: 'waiting',
  scheduled: 'waiting',
  partial: 'partial',
  published: 'published',
  failed: 'failed',
};

function read(source: unknown): { targets: readonly Fields[]; post: Progress } {
  if (isObject(source)) {
    // An event that is not known may still tell of its targets as the known ones do.
    const event = source.known === false && isObject(source.payload) ? source.payload : source;
    if (isObject(event.data) && isObjects(event.data.platforms)) {
      // The type of a final event says what the post came to; the status of its post may be another by now.
      return { targets: event.data.platforms, post: toProgress(text(event.type)?.replace('post.', '')) };
    }
    const platforms = source.platforms ?? [];
    if (isObjects(platforms) && (source.platforms !== undefined || typeof source.postId === 'string')) {
      return { targets: withAccounts(platforms, source), post: toProgress(text(source.status)) };
    }
  }
  const message = 'must be the reply to a create, a listed post, or a webhook event with data.platforms';
  throw new InvalidRequestError([issueAt(['source'], message)]);
}

/** A listed target names its platform alone. Where the post has one account of that platform, it is that account's. */
function withAccounts(targets: readonly Fields[], post: Fields): readonly Fields[] {
  const requested = isObject(post.rawRequestBody) ? requestedTargets(post) : undefined;
  if (requested === undefined) return targets;
  return targets.map((target) => {
    const accounts = requested.get(text(target.platform) ?? '') ?? [];
    const [account] = accounts;
    return account === undefined || accounts.length > 1 ? target : { accountId: account.accountId, ...target };
  });
}

function toProgress(status: string | undefined): Progress {
  return status !== undefined && Object.hasOwn(progressOf, status) ? (progressOf[status] ?? 'under_way') : 'under_way';
}

function toResult(target: Fields, post: Progress): TargetResult {
  const state = stateOf(target, post);
  const fields = {
    platform: text(target.platform),
    accountId: text(target.integrationId) ?? text(target.accountId),
    state,
    url: text(target.platformPostUrl),
    error: errorOf(target),
    warning: text(target.warningMessage),
    publishedAt: text(target.publishedAt),
  };
  // A target has no field that is not told, so that it prints and compares as what it is.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as TargetResult;
}

/**
 * What became of a target. The values of its own `status` are not documented, so that all other evidence counts before
 * them: what the service says of the target, then what its address or time of publication shows, then what the post's
 * own status says of every target.
 */
function stateOf(target: Fields, post: Progress): TargetResult['state'] {
  const cameOut =
    text(target.platformPostUrl) !== undefined ||
    text(target.platformPostId) !== undefined ||
    text(target.publishedAt) !== undefined;
  const isSaid = target.success === true || target.status === 'published';
  // The error of an earlier attempt may stand beside what came out in the end.
  if (errorOf(target) !== undefined) return cameOut && (isSaid || post === 'published') ? 'published' : 'failed';
  // Before publishing, this tells only that it has not come out.
  if (target.success === false || target.status === 'failed') return post === 'waiting' ? 'pending' : 'failed';
  // States and transitions: a post is `failed` where every target failed, and `published` where every target succeeded.
  if (post === 'failed' && !(cameOut && isSaid)) return 'failed';
  if (cameOut) return 'published';
  if (post === 'waiting') return 'pending';
  if (target.status === 'published' || post === 'published') return 'published';
  // A warning is what a publication returned. `success` is told by finished posts of what came out, and by others of
  // what was accepted.
  if (text(target.warningMessage) !== undefined) return 'published';
  return post === 'partial' && target.success === true ? 'published' : 'pending';
}

function errorOf(target: Fields): string | undefined {
  return text(target.error) ?? text(target.errorMessage);
}

/** A text that says something. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjects(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isObject);
}
