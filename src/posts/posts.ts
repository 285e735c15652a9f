import { endpoint, listEndpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { readArgument } from '../schema/issues.js';
import { ownFields } from '../schema/wire.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import {
  createPostBodySchema,
  createPostResponseSchema,
  listPostsQuerySchema,
  listPostsResponseSchema,
  updateScheduledPostBodySchema,
  updateScheduledPostResponseSchema,
  type CreatePostBody,
  type CreatePostResponse,
  type ListPostsQuery,
  type ListPostsResponse,
  type Post,
  type ReconcileResult,
  type UpdateScheduledPostBody,
  type UpdateScheduledPostResponse,
} from './post-shapes.js';
import type { AnyPostFields, CheckedFields, CreatePostOptions, ManyOf } from './create-fields.js';
import { CreateWatch } from './create-log.js';
import { modeOf, readCreate, repeatedTargetIssues } from './read-create.js';
import {
  createMany,
  type BodyOf,
  type CreateManyItem,
  type CreateManyOptions,
  type CreateManyResult,
} from './create-many.js';
import { reconcile, type LostCreate, type ReconcileOptions } from './reconcile.js';
import { watchPosts, type PostReference, type WatchPostsOptions } from './watch-posts.js';

export * from './post-shapes.js';

/** Whether a refused write names its post, or a published target. */
function hasPost({ postId, platforms }: Readonly<Record<string, unknown>>): boolean {
  const targets: readonly unknown[] = Array.isArray(platforms) ? platforms : [];
  const cameOut = targets.some((target) => (target as { success?: unknown } | null)?.success === true);
  return (typeof postId === 'string' && postId !== '') || cameOut;
}

export const postEndpoints = {
  create: endpoint({
    route: 'POST /v1/posts/',
    summary: 'Creates a post: as a draft, to publish now, or to publish at a set time.',
    body: createPostBodySchema,
    response: createPostResponseSchema,
    retry: 'once',
    readBody: readCreate,
    carriedOut: hasPost,
    isSlow: (request) => modeOf(request) === 'publishNow',
  }),
  list: listEndpoint({
    route: 'GET /v1/posts/',
    summary: 'Lists the posts of the project.',
    query: listPostsQuerySchema,
    response: listPostsResponseSchema,
    retry: 'repeatable',
    defaults: { limit: 20, offset: 0 },
    list: { style: 'offset', items: 'posts', itemId: 'postId', total: 'total' },
  }),
  updateScheduled: endpoint({
    route: 'PUT /v1/posts/scheduled/{postId}',
    summary: 'Replaces the content and targets of a scheduled post.',
    params: { postId: { description: 'The ID of the scheduled post.' } },
    body: updateScheduledPostBodySchema,
    response: updateScheduledPostResponseSchema,
    readBody: (body, _, options) => {
      const { wire, issues } = readArgument(updateScheduledPostBodySchema(), body, { extra: 'extraBody', options });
      return { wire, issues: [...issues, ...repeatedTargetIssues(wire)] };
    },
    carriedOut: hasPost,
    confirmedBy: 'postId',
    retry: 'once',
    deprecated: true,
  }),
};

/** Creates, lists and edits posts, waits for them, and finds the post of a create with an unknown outcome. */
export interface ClientPosts extends Pick<PostsResource, keyof PostsResource> {}

/**
 * The methods of {@link ClientPosts}, each with its documented signature only. Implement it to replace `client.posts` in tests.
 *
 * @example
 * ```ts
 * const posts: Pick<Posts, 'create' | 'list'> = {
 *   create: async (body) => ({ postId: 'post_1', status: body.publishNow ? 'published' : 'scheduled' }),
 *   list: () => Paginator.from([{ postId: 'post_1' }]),
 * };
 * ```
 */
export interface Posts extends Omit<ClientPosts, 'create' | 'createMany'> {
  /** See {@link PostsResource.create}. */
  create(body: CreatePostBody, options?: CreatePostOptions): Promise<CreatePostResponse>;
  /** See {@link PostsResource.createMany}. */
  createMany(
    bodies: Iterable<CreateManyItem> | AsyncIterable<CreateManyItem>,
    options?: CreateManyOptions,
  ): AsyncGenerator<CreateManyResult, void, undefined>;
}

/** One platform is sent as a list of one. */
export function withPlatforms(query: ListPostsQuery): ListPostsQuery {
  // A caller without types may pass null; the check of the call reports it.
  const platform = (query as ListPostsQuery | null)?.platform;
  return typeof platform === 'string' ? { ...ownFields(listPostsQuerySchema(), query), platform: [platform] } : query;
}

/** Posts: create, list, edit, and search for the post of a create whose outcome is unknown. */
export class PostsResource extends Resource {
  /**
   * Creates a post: a draft, a post to publish now, or a post to publish at a set time. Resolves to its ID, its status and
   * its targets.
   *
   * A failed target does not reject the call: read the reply with `targetResults`. The client never retries a create that
   * may have reached the service. If `outcomeOf(error)` is `'unknown'`, search for the post with {@link PostsResource.reconcile}.
   *
   * API document: Posts, POST /v1/posts/. A draft costs no credits. The cost of publishing is not documented.
   *
   * @example
   * ```ts
   * const post = await client.posts.create({
   *   content: 'Hello',
   *   platforms: [{ platform: 'bluesky', accountId: 'integration_1' }],
   *   publishNow: true,
   * });
   * ```
   * @param body the post. Pass other fields, such as media, as `extraBody` in `options`
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused the post
   * @throws {@link ConnectionError} the reply did not arrive completely; see `outcome`
   */
  async create<Fields extends AnyPostFields>(
    body: CheckedFields<Fields>,
    options?: CreatePostOptions,
  ): Promise<CreatePostResponse> {
    const watch = new CreateWatch(this.transport);
    const response = await this.transport.call(postEndpoints.create, { body }, options, watch);
    watch.answered(response.postId);
    return response;
  }

  /**
   * Lists the posts of the project, page by page. It sends nothing before you await or iterate the result.
   *
   * API document: Posts, GET /v1/posts/.
   *
   * @example
   * ```ts
   * for await (const post of client.posts.list({ status: 'scheduled', limit: 100 })) console.log(post.postId);
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  list(query: ListPostsQuery = {}, options?: RequestOptions & PaginatorOptions): Paginator<Post, ListPostsResponse> {
    return Paginator.of(this.transport, postEndpoints.list, { query: withPlatforms(query) }, options);
  }

  /**
   * Replaces the content and targets of a scheduled post and reconciles its credits. Media and time go through
   * `extraBody`: the API document mentions them without showing them.
   *
   * API document: Posts, PUT /v1/posts/scheduled/{postId}.
   *
   * @example
   * ```ts
   * await client.posts.updateScheduled('post_1', { content: 'New text' });
   * ```
   * @deprecated The service deprecates the operation in favour of an update at `/v1/posts/{postId}`, whose shape is not
   * documented. Call that one with `client.request` once you know it.
   * @throws {@link ApiError} the service refused, for example since the post is not scheduled any more
   */
  updateScheduled(
    postId: string,
    body: UpdateScheduledPostBody,
    options?: RequestOptions,
  ): Promise<UpdateScheduledPostResponse> {
    return this.transport.call(postEndpoints.updateScheduled, { params: { postId }, body }, options);
  }

  /**
   * Searches for the post of a `create` whose outcome is unknown. It lists the posts from two minutes before the send,
   * by the service's clock, and compares the request that each post was created with.
   *
   * - `created`: one post has an equal request and belongs to no other create of this client. It was created at most
   *   five seconds before the send (six, because `Date` headers count whole seconds).
   * - `ambiguous`: a post may belong to the create, but the evidence does not suffice. It is an equal post from another
   *   time, or its request is missing or has more fields, while content, targets and time agree.
   * - If several equal creates are in doubt and the list shows one post for each, each create gets one and keeps it.
   *   With another number of posts, or while an equal create is in flight, the result is `ambiguous` or `not_found`.
   * - `not_found` is not proof: the API document does not say how soon a post is listed. Pass `waitMs` to repeat the
   *   search for a while, and check the service before you create the post again.
   * - If no reply has a `Date` header (a browser page cannot read it), the clocks are assumed to agree.
   *
   * API document: Posts, GET /v1/posts/.
   *
   * @example
   * ```ts
   * const found = await client.posts.reconcile(error, { waitMs: 10_000 });
   * const asked = await client.posts.reconcile({ body, sentAt }, { waitMs: 10_000 }); // of a process that died
   * ```
   * @param error the error that `create` rejected with; after an abort, the signal's reason. With an `outcome` other
   *   than `'unknown'`, it does not search. Without the error: the body as it was passed to `create`, and when it was
   *   sent.
   * @throws {@link InvalidRequestError} the argument is not an error of this client's creates, or `body`, `sentAt` or
   *   `exclude` is invalid
   * @throws {@link SocialPublishingError} the posts could not be listed; `outcome` is `'unknown'`, like the create's
   */
  // eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- whatever a create was rejected with, and the form that an editor offers
  reconcile(error: unknown | LostCreate, options?: ReconcileOptions): Promise<ReconcileResult> {
    return reconcile(this.transport, this, error, options);
  }

  /**
   * Creates many posts, several at once, and yields each result as its create ends. `index` is the position in the source.
   * A failed create does not throw: its result has `status` and `error`. The source is read no further ahead than
   * `concurrency`.
   *
   * After as many failed creates in a row as `concurrency` (5xx, time-outs, lost and refused connections), no create
   * starts until the service answers again, for at most `outageMs`. It reads one post of the list after 1, 2, 4 and up to 60
   * seconds, then sends one create as a trial. After `outageMs`, the items that it has read, and the rest of an array,
   * are `not_sent`, and it reads no more of another source.
   *
   * After an abort, nothing more is sent: creates in flight are `unknown`, the rest of an array is `not_sent`. If you leave
   * the loop early, it waits for the creates in flight. If the process may die midway, use the durable publisher of
   * `social-publishing/publisher` instead.
   *
   * API document: Posts, POST /v1/posts/. The cost of publishing is not documented.
   *
   * @example
   * ```ts
   * for await (const { index, status, error } of client.posts.createMany(bodies, { concurrency: 8 })) {
   *   if (status !== 'created') console.error(index, status, error);
   * }
   * ```
   * @param bodies an array or any (async) iterable of bodies, or of `{ body, extraBody }`
   * @throws {@link InvalidRequestError} an option is invalid; nothing was sent
   */
  createMany<Item extends CreateManyItem<AnyPostFields>>(
    bodies: ManyOf<CreateManyItem<CheckedFields<BodyOf<Item>>>>,
    options: CreateManyOptions = {},
  ): AsyncGenerator<CreateManyResult, void, undefined> {
    return createMany(this, this.transport.runtime, bodies, options);
  }

  /**
   * Yields each of these posts once, as it becomes final: `published`, `partial` or `failed`. Each poll reads the list once
   * for all posts. Polls are frequent at first, then slower, up to `pollMs`. A poll that fails does not end the wait, unless
   * the service refuses it (400, 401, 403).
   *
   * API document: States and transitions; Posts, GET /v1/posts/. It does not state how soon a post is listed.
   *
   * @example
   * ```ts
   * for await (const post of client.posts.watch(postIds, { waitMs: 3_600_000 })) console.log(post.postId, post.status);
   * ```
   * @param posts IDs, replies of creates, or listed posts; the latter two show when they were created
   * @throws {@link WaitTimeoutError} `waitMs` ran out; the error has the posts as last seen
   * @throws {@link InvalidRequestError} an option is invalid, or a post is a draft, which never becomes final
   */
  watch(posts: Iterable<PostReference>, options: WatchPostsOptions = {}): AsyncGenerator<Post, void, undefined> {
    return watchPosts({ posts: this, runtime: this.transport.runtime, argument: 'postIds' }, posts, options);
  }

  /**
   * Resolves to a post when it is final: `published`, `partial` or `failed`. To wait for several posts at once, use
   * {@link PostsResource.watch}.
   *
   * API document: States and transitions; Posts, GET /v1/posts/. It does not state how soon a post is listed.
   *
   * @example
   * ```ts
   * const created = await client.posts.create(body);
   * const post = await client.posts.waitUntilFinal(created);
   * targetResults(post).assertAllPublished();
   * ```
   * @param post its ID, the reply to its create, or a listed post
   * @throws {@link WaitTimeoutError} `waitMs` ran out; the error has the post as last seen
   * @throws {@link InvalidRequestError} an option is invalid, or the post is a draft, which never becomes final
   */
  async waitUntilFinal(post: PostReference, options: WatchPostsOptions = {}): Promise<Post> {
    const watch = watchPosts({ posts: this, runtime: this.transport.runtime, argument: 'post' }, [post], options);
    const { value } = await watch.next();
    await watch.return();
    // It yields its one post, or throws.
    return value as Post;
  }
}
