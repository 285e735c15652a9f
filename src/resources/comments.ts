import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import { listEndpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import * as s from '../schema/fields.js';

/** A platform whose comments the service reads (GET /v1/comments/). */
export type CommentPlatform = 'facebook' | 'instagram' | 'threads' | 'linkedin';

/** The platforms whose comments the service reads, as the API document lists them (GET /v1/comments/). */
export const commentPlatforms: readonly CommentPlatform[] = ['facebook', 'instagram', 'threads', 'linkedin'];

/** Returns whether the service reads the comments of a platform. */
export function isCommentPlatform(platform: string | undefined): platform is CommentPlatform {
  return commentPlatforms.includes(platform as CommentPlatform);
}

/** The author of a comment (Comment). */
export interface CommentAuthor {
  /** The author's ID on the platform. */
  id?: string | undefined;
  /** The author's name. */
  name?: string | undefined;
}

/** A first-level reply to a comment (Comment). */
export interface CommentReply {
  /** The reply's ID on the platform. */
  id: string;
  /** The text. */
  text?: string | undefined;
  /** The author. */
  author?: CommentAuthor | undefined;
  /** When it was written. The API document shows a string without a format. */
  timestamp?: string | undefined;
  /** How many likes it has. Missing: the platform does not report it. */
  likeCount?: number | undefined;
}

/** A comment on a post, read from its platform (Comment). */
export interface PostComment extends CommentReply {
  /** The comment's ID on the platform. */
  id: string;
  /** When it was written, an ISO 8601 date-time. */
  timestamp?: string | undefined;
  /** Whether it is hidden. */
  hidden?: boolean | undefined;
  /** The first-level replies. */
  replies?: CommentReply[] | undefined;
}

/** Another name of {@link PostComment}. It shadows the DOM's `Comment`. */
export type Comment = PostComment;

/** Which comments `comments.list` reads (GET /v1/comments/). */
export interface ListCommentsQuery {
  /** The account's platform. */
  platform: CommentPlatform;
  /** The integration's ID. */
  accountId: string;
  /** The post's ID on the platform, not the service's post ID. */
  postId: string;
  /** Comments in a page, 1 to 100. Default 25. */
  limit?: number | undefined;
  /** A cursor from an earlier reply's `nextCursor`. */
  after?: string | undefined;
}

/** A page of comments (GET /v1/comments/). */
export interface ListCommentsResponse extends ListReply<ListCommentsQuery> {
  /** The comments of this page. */
  comments: PostComment[];
  /** The cursor of the next page. Missing or empty: this is the last one. */
  nextCursor?: string | undefined;
}

const author = () => s.optional(s.reply({ id: s.optionalString(), name: s.optionalString() }));

export const commentSchema = s.once(() =>
  s.reply({
    id: z.string(),
    text: s.optionalString(),
    author: author(),
    timestamp: s.optionalReplyDateTime(),
    likeCount: s.optionalInteger(),
    hidden: s.optionalBoolean(),
    replies: s.optional(
      z.array(
        s.reply({
          id: z.string(),
          text: s.optionalString(),
          author: author(),
          timestamp: s.optionalString(),
          likeCount: s.optionalInteger(),
        }),
      ),
    ),
  }),
);

export const listCommentsQuerySchema = s.once(() =>
  z.strictObject({
    platform: s.oneOf(commentPlatforms),
    accountId: s.id(),
    postId: s.id(),
    limit: s.optionalLimit(),
    after: s.optionalString(),
  }),
);

export const listCommentsResponseSchema = s.once(() =>
  s.envelope({ comments: z.array(commentSchema()), nextCursor: s.optionalString() }),
);

export const commentEndpoints = {
  list: listEndpoint({
    route: 'GET /v1/comments/',
    summary: 'Lists the comments on a post of a connected account, with their first-level replies.',
    query: listCommentsQuerySchema,
    response: listCommentsResponseSchema,
    retry: 'repeatable',
    defaults: { limit: 25 },
    list: { style: 'cursor', items: 'comments', itemId: 'id', next: 'nextCursor' },
  }),
};

/** Lists comments. A plain object can implement it in tests. */
export interface Comments extends Pick<CommentsResource, keyof CommentsResource> {}

/** Comments on posts of Facebook, Instagram, Threads and LinkedIn accounts. */
export class CommentsResource extends Resource {
  /**
   * Lists the comments on a post of a connected account, with their first-level replies. The account needs the platform's
   * approval: Facebook page content read, Instagram business comment management, Threads reply management, or LinkedIn
   * community-management feed scopes.
   *
   * API document: Comments, GET /v1/comments/.
   *
   * @example
   * ```ts
   * for await (const comment of client.comments.list({ platform: 'instagram', accountId, postId: platformPostId })) {
   *   console.log(comment.author?.name, comment.text);
   * }
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  list(
    query: ListCommentsQuery,
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<PostComment, ListCommentsResponse> {
    return Paginator.of(this.transport, commentEndpoints.list, { query }, options);
  }
}
