import { listed, SocialPublishingError } from '../core/errors.js';
import { areFields, isFields, shortText, withoutUndefined, type Fields } from '../core/json.js';
import { invalidArgument } from '../core/call/options.js';
import { isFinalStatus, type FinalPostStatus, type Platform } from './known-values.js';

/** The result of one target of a post, from any reply or event. */
export interface TargetResult {
  /** The platform. */
  readonly platform?: Platform | undefined;
  /**
   * The integration's ID. Events contain it. For a listed post, it comes from `rawRequestBody`. It is missing if the
   * post has two accounts of one platform, or if its targets were edited. The reply to a create doesn't contain it.
   */
  readonly accountId?: string | undefined;
  /** `published`: it was published. `failed`: it failed finally. `pending`: neither yet, as far as known. */
  readonly state: 'published' | 'failed' | 'pending';
  /** The post's address on the platform, if known. Not every published target has one. */
  readonly url?: string | undefined;
  /** Why it failed, in the service's words. A target can fail without a known reason. */
  readonly error?: string | undefined;
  /** A warning, in the service's words. */
  readonly warning?: string | undefined;
  /** When it was published there, an ISO 8601 date-time. The reply to a create doesn't contain it. */
  readonly publishedAt?: string | undefined;
}

/** Another name of {@link TargetResult}, for the targets of an error. */
export type ReportedTarget = TargetResult;

/** The targets of a post, grouped by result. Each list keeps the order of the reply or event. */
export interface TargetResults {
  /** Every target. */
  readonly all: readonly TargetResult[];
  /** Published targets, with or without a warning. */
  readonly published: readonly TargetResult[];
  /** Targets published with a warning, or with the error of an earlier attempt. They are in `published` too. */
  readonly warned: readonly TargetResult[];
  /** Targets that failed finally. */
  readonly failed: readonly TargetResult[];
  /** Targets that are neither published nor failed: of drafts, scheduled posts, and posts that are being published. */
  readonly pending: readonly TargetResult[];
  /**
   * Throws if a target failed. Warnings and pending targets do not throw: check `pending` if they matter.
   * @throws {@link PublishError} at least one target failed, or the post as a whole failed
   */
  readonly assertAllPublished: () => void;
}

/** One target in a reply or an event. Common fields of the three shapes have the same meaning. */
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
  /** The warning of the platform. */
  readonly warningMessage?: string | null | undefined;
}

/** The input of {@link targetResults}: the reply to a create, a listed post, or a webhook event that is `known`. */
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
      /** The event's data. */
      readonly data: {
        /** The targets. */
        readonly platforms: readonly TargetInfo[];
      };
    };

/**
 * At least one target of a post failed. The call itself succeeded: the post exists, and other targets may be published.
 * So `outcome` is `'rejected'` only if every target failed. Otherwise it is `'unknown'`, because creating the post
 * again would publish it twice on the other targets.
 */
export class PublishError extends SocialPublishingError {
  override readonly name = 'PublishError';
  /** The failed targets. Empty if the post failed as a whole and no target is known. */
  readonly targets: readonly TargetResult[];

  constructor(failed: readonly TargetResult[], all: readonly TargetResult[]) {
    const reasons = listed(failed, maxReasons, describe);
    super(
      failed.length === 0
        ? 'The post failed. Its targets are not listed.'
        : `${String(failed.length)} of ${String(all.length)} targets failed: ${reasons}`,
      { outcome: failed.length === all.length ? 'rejected' : 'unknown' },
    );
    this.targets = failed;
  }
}

// A message is for one line of a log.
const maxReasons = 5;
const maxReasonLength = 200;

function describe({ platform, error }: TargetResult): string {
  const reason = (error ?? 'no reason reported').replace(/\s+/g, ' ');
  return `${platform ?? 'a platform'}: ${shortText(reason, maxReasonLength)}`;
}

/**
 * Returns one view of the targets of a post from the reply to `posts.create`, a listed post or a webhook event. With a
 * subscription's `profileId`, an event contains only the targets of that profile.
 *
 * @example
 * ```ts
 * const targets = targetResults(await client.posts.create(body));
 * for (const { platform, error } of targets.failed) console.error(platform, error);
 * ```
 * @throws {@link InvalidRequestError} the source is another value; for an event that is not `known`, read its `payload`
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

/**
 * The progress of the whole post. `waiting`: nothing was published yet. `under_way`: publishing, partly published, or
 * unknown.
 */
type Progress = 'waiting' | 'under_way' | FinalPostStatus;

function read(source: unknown): { targets: readonly Fields[]; post: Progress } {
  if (isFields(source)) {
    // An unknown event may contain targets in the same form as known events.
    const event = source.known === false && isFields(source.payload) ? source.payload : source;
    if (isFields(event.data) && areFields(event.data.platforms)) {
      // The type of a final event is the result of the post; the status of its post may have changed since.
      return { targets: event.data.platforms, post: toProgress(text(event.type)?.replace('post.', '')) };
    }
    const platforms = source.platforms ?? [];
    if (areFields(platforms) && (source.platforms !== undefined || typeof source.postId === 'string')) {
      return { targets: withAccounts(platforms, source), post: toProgress(text(source.status)) };
    }
  }
  const message = 'must be the reply to a create, a listed post, or a webhook event with data.platforms';
  throw invalidArgument('source', message);
}

/**
 * A listed target contains only its platform. If the post has one account on that platform, the target belongs to it.
 */
function withAccounts(targets: readonly Fields[], post: Fields): readonly Fields[] {
  const requested = isFields(post.rawRequestBody) ? requestedTargets(post) : undefined;
  if (requested === undefined) return targets;
  return targets.map((target) => {
    const accounts = requested.get(text(target.platform) ?? '') ?? [];
    const [account] = accounts;
    return account === undefined || accounts.length > 1 ? target : { accountId: account.accountId, ...target };
  });
}

function toProgress(status = ''): Progress {
  if (isFinalStatus(status)) return status;
  return ['draft', 'pending', 'scheduled'].includes(status) ? 'waiting' : 'under_way';
}

function toResult(target: Fields, post: Progress): TargetResult {
  return withoutUndefined({
    platform: text(target.platform),
    accountId: text(target.integrationId) ?? text(target.accountId),
    state: stateOf(target, post),
    url: text(target.platformPostUrl),
    error: errorOf(target),
    warning: text(target.warningMessage),
    publishedAt: text(target.publishedAt),
  });
}

/**
 * Returns the state of a target. The values of its `status` are not documented, so other evidence comes first. The
 * order: the service's result for the target, its address or time of publication, the status of the post.
 */
function stateOf(target: Fields, post: Progress): TargetResult['state'] {
  const cameOut =
    text(target.platformPostUrl) !== undefined ||
    text(target.platformPostId) !== undefined ||
    text(target.publishedAt) !== undefined;
  const isSaid = target.success === true || target.status === 'published';
  // The error of an earlier attempt may accompany a final success.
  if (errorOf(target) !== undefined) return cameOut && (isSaid || post === 'published') ? 'published' : 'failed';
  // Before publishing, this only means that the target isn't published yet.
  if (target.success === false || target.status === 'failed') return post === 'waiting' ? 'pending' : 'failed';
  // States and transitions: a post is `failed` if every target failed, and `published` if every target succeeded.
  if (post === 'failed' && !(cameOut && isSaid)) return 'failed';
  if (cameOut) return 'published';
  if (post === 'waiting') return 'pending';
  if (target.status === 'published' || post === 'published') return 'published';
  // A warning comes from a publication. In finished posts, `success` means published; in others, it means accepted.
  if (text(target.warningMessage) !== undefined) return 'published';
  return post === 'partial' && target.success === true ? 'published' : 'pending';
}

function errorOf(target: Fields): string | undefined {
  return text(target.error) ?? text(target.errorMessage);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export type RequestedTarget = Readonly<Record<string, unknown>> & {
  readonly platform: string;
  readonly accountId: string;
};

/** The fields of a listed post that this file reads. */
export interface PostWithRequest {
  readonly platforms?: readonly { readonly platform?: string | undefined }[] | undefined;
  readonly rawRequestBody?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the targets with which a listed post was created, by platform. `undefined` if its `rawRequestBody` does not
 * contain them. Also `undefined` if the post's current targets differ in number or platform, because it was edited
 * since.
 */
export function requestedTargets(post: PostWithRequest): ReadonlyMap<string, readonly RequestedTarget[]> | undefined {
  const requested = post.rawRequestBody?.['platforms'];
  if (!Array.isArray(requested) || !requested.every(isRequestedTarget)) return undefined;
  const now = (post.platforms ?? []).map(({ platform }) => platform ?? '').sort();
  const then = requested.map(({ platform }) => platform).sort();
  if (now.length !== then.length || now.some((platform, index) => platform !== then[index])) return undefined;
  const byPlatform = new Map<string, RequestedTarget[]>();
  for (const target of requested) {
    byPlatform.set(target.platform, [...(byPlatform.get(target.platform) ?? []), target]);
  }
  return byPlatform;
}

function isRequestedTarget(value: unknown): value is RequestedTarget {
  if (!isFields(value)) return false;
  const { platform, accountId } = value;
  return typeof platform === 'string' && typeof accountId === 'string' && accountId !== '';
}
