import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import {
  knownPlatforms,
  type KnownPlatform,
  type Platform,
  knownPostStatuses,
  type KnownPostStatus,
  type PostStatus,
} from '../model/known-values.js';
import * as s from '../schema/fields.js';
import type { DateTimeInput } from '../schema/fields.js';

/** A file of a post (Post). */
export interface MediaItem {
  /** `image` is documented; other values are not. */
  type?: 'image' | (string & {}) | undefined;
  /** The file's URL. */
  url?: string | undefined;
  /** The file's name. */
  filename?: string | undefined;
  /** The file's size, an integer. Its unit is not documented. */
  size?: number | undefined;
  /** The file's MIME type, for example `image/png`. */
  mimeType?: string | undefined;
}

/** One target of a listed post: one platform account that the post goes to (Post). */
export interface PostTarget {
  /** The platform. */
  platform?: Platform | undefined;
  /** The target's status. Its values are not documented; `targetResults` reads the target without it. */
  status?: string | undefined;
  /** The text for this platform. */
  content?: string | undefined;
  /** The post's ID on the platform, once it is published there. */
  platformPostId?: string | undefined;
  /** The post's address on the platform, once it is published there. */
  platformPostUrl?: string | undefined;
  /** When it was published there, an ISO 8601 date-time. Missing: it was not. */
  publishedAt?: string | undefined;
  /** Why it failed there. Missing: it did not fail, or not yet. */
  errorMessage?: string | undefined;
  /** A warning of the platform for a published target. Missing: there was none. */
  warningMessage?: string | undefined;
}

/** A post, as lists show it (Post). */
export interface Post {
  /** The post's ID. */
  postId: string;
  /** The text. */
  content?: string | undefined;
  /** The overall status. */
  status?: PostStatus | undefined;
  /** When it will be published, an ISO 8601 date-time. Missing: it is not scheduled. */
  scheduledFor?: string | undefined;
  /** The time zone that the post was scheduled in. Its format is not documented. */
  timezone?: string | undefined;
  /** The files of the post. */
  mediaItems?: MediaItem[] | undefined;
  /** One entry for each target. */
  platforms?: PostTarget[] | undefined;
  /** Whether crossposting is on. Its effect is not documented. */
  crosspostingEnabled?: boolean | undefined;
  /** The request that the post was created with, as the service got it. */
  rawRequestBody?: Record<string, unknown> | undefined;
  /** When the post was created, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** When the post was last changed, an ISO 8601 date-time. */
  updatedAt?: string | undefined;
}

/** A target to publish to (POST /v1/posts/). */
export interface PostTargetInput {
  /** The platform of the integration. */
  platform: KnownPlatform;
  /** The integration's ID, from `integrations.list`. */
  accountId: string;
}

interface PostContent {
  /** The text. The API document does not state a maximum length. */
  content?: string | undefined;
}

/** Saves a draft: it needs no accounts and costs no credits. */
export interface CreateDraftBody extends PostContent {
  /** Saves the post without publishing it. */
  saveAsDraft: true;
  /** Not with `saveAsDraft`. */
  publishNow?: false | undefined;
  /** Not with `saveAsDraft`. */
  scheduledFor?: undefined;
  /**
   * The targets.
   * A draft needs none.
   */
  platforms?: readonly PostTargetInput[] | undefined;
}

/** Publishes at once. One final event is sent, and no `post.scheduled`. */
export interface PublishPostBody extends PostContent {
  /** Publishes the post immediately. */
  publishNow: true;
  /** Not with `publishNow`. */
  saveAsDraft?: false | undefined;
  /** Not with `publishNow`. */
  scheduledFor?: undefined;
  /**
   * The targets.
   * A post to publish or schedule needs at least one. The API document does not state a maximum number.
   */
  platforms: readonly PostTargetInput[];
}

/** Schedules a post. The event `post.scheduled` is sent at once, and one final event when publishing finishes. */
export interface SchedulePostBody extends PostContent {
  /**
   * When to publish: an ISO 8601 date-time string with its offset, or a `Date`. The client refuses a string without an
   * offset, unless `extraBody` contains `timezone`.
   */
  scheduledFor: DateTimeInput;
  /** Not with `scheduledFor`. */
  saveAsDraft?: false | undefined;
  /** Not with `scheduledFor`. */
  publishNow?: false | undefined;
  /**
   * The targets.
   * A post to publish or schedule needs at least one. The API document does not state a maximum number.
   */
  platforms: readonly PostTargetInput[];
}

/**
 * The body of `posts.create`: a draft, a post to publish now, or a post to schedule (POST /v1/posts/).
 * Pass media, time zone and other fields that the API document mentions without showing as `extraBody`.
 */
export type CreatePostBody = CreateDraftBody | PublishPostBody | SchedulePostBody;

/** The result of one target of a create (POST /v1/posts/). */
export interface CreatePostTarget {
  /** The platform. */
  platform?: Platform | undefined;
  /** Whether the target was accepted or published. `false` does not reject the call: see `error`. */
  success?: boolean | undefined;
  /** The post's address on the platform, once it is published there. */
  platformPostUrl?: string | undefined;
  /** Why it failed there. Missing: it did not fail. */
  error?: string | undefined;
  /** A warning of the platform. Missing: there was none. */
  warningMessage?: string | undefined;
}

/** The reply to `posts.create` (POST /v1/posts/). */
export interface CreatePostResponse {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** The new post's ID. */
  postId: string;
  /** The new post's status. */
  status?: PostStatus | undefined;
  /** When it will be published, an ISO 8601 date-time. Missing: it is not scheduled. */
  scheduledFor?: string | undefined;
  /** One entry for each target. Read them with `targetResults`. */
  platforms?: CreatePostTarget[] | undefined;
}

/** The filters and the order of `posts.list` (GET /v1/posts/). A post must match every filter. */
export interface ListPostsQuery {
  /** Only posts in this status. */
  status?: KnownPostStatus | undefined;
  /** Only posts with a target on this platform, or on one of these. */
  platform?: KnownPlatform | readonly KnownPlatform[] | undefined;
  /** Only posts whose integrations belong to this profile. `null`: only posts whose integrations have no profile. */
  profileId?: string | null | undefined;
  /** Only posts created from this date-time on. The API document does not say whether this time itself is included. */
  createdAfter?: DateTimeInput | undefined;
  /** Only posts created up to this date-time. The API document does not say whether this time itself is included. */
  createdBefore?: DateTimeInput | undefined;
  /**
   * Only posts scheduled from this date-time on. The API document does not say whether this time itself is included.
   */
  scheduledAfter?: DateTimeInput | undefined;
  /** Only posts scheduled up to this date-time. The API document does not say whether this time itself is included. */
  scheduledBefore?: DateTimeInput | undefined;
  /** The maximum number of posts in a page, 1 to 100. Default 20. */
  limit?: number | undefined;
  /** How many posts to skip, 0 or more. Default 0. */
  offset?: number | undefined;
  /** The order. The API document does not name the sort field. */
  sort?: 'asc' | 'desc' | undefined;
}

/** A page of posts (GET /v1/posts/). */
export interface ListPostsResponse extends ListReply<ListPostsQuery> {
  /** How many posts match the filters in total. */
  total?: number | undefined;
  /** The posts of this page. */
  posts: Post[];
}

/** The result of `posts.reconcile`. */
export type ReconcileResult =
  | {
      /** The create was executed. */
      readonly status: 'created';
      /** Its post. */
      readonly post: Post;
    }
  | {
      /** No such post is listed. This is not proof: the document does not say how soon a post is listed. */
      readonly status: 'not_found';
    }
  | {
      /** Several posts could be it, for example of other programs that sent the same. */
      readonly status: 'ambiguous';
      /** All of them. */
      readonly posts: Post[];
    };

/** The new content and targets of a scheduled post (PUT /v1/posts/scheduled/{postId}). */
export interface UpdateScheduledPostBody {
  /** The new text. */
  content?: string | undefined;
  /** The new targets. */
  platforms?: readonly PostTargetInput[] | undefined;
}

/** The reply to `posts.updateScheduled` (PUT /v1/posts/scheduled/{postId}). */
export interface UpdateScheduledPostResponse {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** A message of the service. */
  message?: string | undefined;
  /** The post's ID. */
  postId?: string | undefined;
  /** When it will be published, an ISO 8601 date-time. */
  scheduledFor?: string | undefined;
}

const mediaItem = () =>
  s.reply({
    type: s.optional(s.open(['image'])),
    url: s.optionalString(),
    filename: s.optionalString(),
    size: s.optionalInteger(),
    mimeType: s.optionalString(),
  });

export const postSchema = s.once(() =>
  s.reply({
    postId: z.string(),
    content: s.optionalString(),
    status: s.optional(s.open(knownPostStatuses)),
    scheduledFor: s.optionalReplyDateTime(),
    timezone: s.optionalString(),
    mediaItems: s.optional(z.array(mediaItem())),
    platforms: s.optional(
      z.array(
        s.reply({
          platform: s.optional(s.open(knownPlatforms)),
          status: s.optionalString(),
          content: s.optionalString(),
          platformPostId: s.optionalString(),
          platformPostUrl: s.optionalString(),
          publishedAt: s.optionalReplyDateTime(),
          errorMessage: s.optionalString(),
          warningMessage: s.optionalString(),
        }),
      ),
    ),
    crosspostingEnabled: s.optionalBoolean(),
    rawRequestBody: s.optionalFreeForm(),
    createdAt: s.optionalReplyDateTime(),
    updatedAt: s.optionalReplyDateTime(),
  }),
);

/** An integration, its ID, or its `id` as a field, is the commonest mistake: a message for each of its fields would bury what to do. */
const notATarget = ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
  typeof input === 'string' ||
  (code === 'unrecognized_keys' && 'id' in (input as object) && !('accountId' in (input as object)))
    ? 'must be { platform, accountId }: pass targetOf(integration)'
    : undefined;

const targets = () =>
  z.optional(z.array(z.strictObject({ platform: s.oneOf(knownPlatforms), accountId: s.id() }, { error: notATarget })));

export const createPostBodySchema = s.once(() =>
  z.strictObject({
    content: s.optionalString(),
    platforms: targets(),
    saveAsDraft: s.optionalBoolean(),
    publishNow: s.optionalBoolean(),
    scheduledFor: z.optional(s.dateTime()),
  }),
);

export const createPostResponseSchema = s.once(() =>
  s.envelope({
    postId: s.id(),
    status: s.optional(s.open(knownPostStatuses)),
    scheduledFor: s.optionalReplyDateTime(),
    platforms: s.optional(
      z.array(
        s.reply({
          platform: s.optional(s.open(knownPlatforms)),
          success: s.optionalBoolean(),
          platformPostUrl: s.optionalString(),
          error: s.optionalString(),
          warningMessage: s.optionalString(),
        }),
      ),
    ),
  }),
);

export const listPostsQuerySchema = s.once(() =>
  z.strictObject({
    status: z.optional(s.oneOf(knownPostStatuses)),
    platform: z.optional(z.array(s.oneOf(knownPlatforms))),
    profileId: z.optional(s.idOrNull()),
    createdAfter: z.optional(s.dateTime()),
    createdBefore: z.optional(s.dateTime()),
    scheduledAfter: z.optional(s.dateTime()),
    scheduledBefore: z.optional(s.dateTime()),
    limit: s.optionalLimit(),
    offset: s.optionalFromZero(),
    sort: z.optional(s.oneOf(['asc', 'desc'])),
  }),
);

export const listPostsResponseSchema = s.once(() =>
  s.envelope({ total: s.optionalInteger(), posts: z.array(postSchema()) }),
);

export const updateScheduledPostBodySchema = s.once(() =>
  z.strictObject({ content: s.optionalString(), platforms: targets() }),
);

export const updateScheduledPostResponseSchema = s.once(() =>
  s.envelope({
    message: s.optionalString(),
    postId: s.optionalString(),
    scheduledFor: s.optionalReplyDateTime(),
  }),
);
