import { endpoint, listEndpoint } from '../core/endpoint.js';
import type { RequestOptions, Transport } from '../core/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import { toWire } from '../schema/wire.js';
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
import { reconcile, rememberFailure, rememberPost, type ReconcileOptions } from './reconcile.js';

export * from './post-shapes.js';
export * from './post-status.js';

export const postEndpoints = {
  create: endpoint({
    route: 'POST /v1/posts/',
    section: 'Posts',
    summary: 'Creates a post: as a draft, to publish now, or to publish at a set time.',
    body: createPostBodySchema,
    response: createPostResponseSchema,
    retry: 'once',
    errorForm: 'message',
  }),
  list: listEndpoint({
    route: 'GET /v1/posts/',
    section: 'Posts',
    summary: 'Lists the posts of the project.',
    query: listPostsQuerySchema,
    response: listPostsResponseSchema,
    retry: 'repeatable',
    errorForm: 'message',
    defaults: { limit: 20, offset: 0 },
    list: { style: 'offset', items: 'posts', itemId: 'postId', total: 'total' },
  }),
  updateScheduled: endpoint({
    route: 'PUT /v1/posts/scheduled/{postId}',
    section: 'Posts',
    summary: 'Replaces the content and targets of a scheduled post.',
    params: { postId: { description: 'The ID of the scheduled post.' } },
    body: updateScheduledPostBodySchema,
    response: updateScheduledPostResponseSchema,
    retry: 'once',
    errorForm: 'message',
    deprecated: true,
  }),
};

/** A create's body as it was sent, comparable with a listed post's `rawRequestBody`. */
function sentBody(body: CreatePostBody, options: RequestOptions | undefined): Record<string, unknown> {
  const wire = { ...(toWire(createPostBodySchema(), body) as object), ...options?.extraBody };
  return JSON.parse(JSON.stringify(wire)) as Record<string, unknown>;
}

/** Posts: create, list, edit, and look for a create whose outcome is unknown. */
export class PostsResource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a post: as a draft, to publish now, or to publish at a set time. Resolves to its ID, status and targets.
   *
   * A target that failed is no error of the call: read the reply with `targetResults`. The call is never sent again once
   * it may have reached the service; where `error.outcome` is `'unknown'`, look for the post with `reconcile`.
   *
   * API document: Posts, POST /v1/posts/. Credits for publishing are not documented; a draft costs none.
   *
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused
   * @throws {@link ConnectionError} no whole reply came; see `outcome`
   */
  async create(body: CreatePostBody, options?: RequestOptions): Promise<CreatePostResponse> {
    const { runtime, creates } = this.#transport;
    const sentAt = runtime.now();
    try {
      const response = await this.#transport.call(postEndpoints.create, { body }, options);
      rememberPost(creates, response.postId);
      return response;
    } catch (error) {
      // Kept for reconcile, and nowhere in the error itself: an error must not show a body.
      rememberFailure(creates, error, (outcome) => ({
        outcome,
        body: outcome === 'unknown' ? sentBody(body, options) : {},
        sentAt,
      }));
      throw error;
    }
  }

  /**
   * Lists the posts of the project, page by page. Nothing is sent before the result is awaited or iterated.
   *
   * API document: Posts, GET /v1/posts/.
   *
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  list(query: ListPostsQuery = {}, options?: RequestOptions & PaginatorOptions): Paginator<Post, ListPostsResponse> {
    return new Paginator({
      transport: this.#transport,
      endpoint: postEndpoints.list,
      query,
      options,
    });
  }

  /**
   * Replaces the content and targets of a scheduled post and reconciles its credits. Media and time go through
   * `extraBody`: the API document mentions them without showing them.
   *
   * API document: Posts, PUT /v1/posts/scheduled/{postId}.
   *
   * @deprecated The service deprecates the operation in favour of an update at `/v1/posts/{postId}`, whose shape is not
   * documented. Call that one with `client.request` once you know it.
   * @throws {@link ApiError} the service refused, for example since the post is not scheduled any more
   */
  updateScheduled(
    postId: string,
    body: UpdateScheduledPostBody,
    options?: RequestOptions,
  ): Promise<UpdateScheduledPostResponse> {
    return this.#transport.call(postEndpoints.updateScheduled, { params: { postId }, body }, options);
  }

  /**
   * Looks for the post of a `create` whose outcome is unknown. It walks the posts created since the request was sent,
   * less a margin for clock skew, and compares the request that each was created with, else its content and targets.
   * A post that this client already knows as another create's is no candidate.
   *
   * `not_found` is no proof: how soon a post is listed is not documented. Give `waitMs` to look again for a while, and
   * think before you create the post once more.
   *
   * Posts of other programs that sent the very same within two minutes before count as candidates too.
   *
   * @param error what `create` was rejected with; after an abort, the signal's reason. With an `outcome` other than `'unknown'` nothing is looked for.
   * @throws {@link InvalidRequestError} the error is not what one of this client's creates was rejected with
   */
  reconcile(error: unknown, options?: ReconcileOptions): Promise<ReconcileResult> {
    return reconcile(this.#transport, (query, pageOptions) => this.list(query, pageOptions), error, options);
  }
}
