/**
 * The methods of each resource, without the private fields of its class: a plain object can implement them in tests.
 */
/* eslint-disable @typescript-eslint/no-empty-object-type -- an interface has a name in an editor's hover, which a type has not */
import type { CreatePostOptions } from '../posts/create-fields.js';
import type { CreateManyItem, CreateManyOptions, CreateManyResult } from '../posts/create-many.js';
import type { CreatePostBody, CreatePostResponse } from '../posts/post-shapes.js';
import type { PostsResource } from '../posts/posts.js';
import type { CommentsResource } from './comments.js';
import type { MessagesResource } from './messages.js';
import type { AutomationsResource } from './automations.js';
import type { AnalyticsResource } from './analytics.js';
import type { NotificationsResource } from './notifications.js';
import type { IntegrationsResource } from './integrations.js';
import type { AppsResource } from './apps.js';

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

/** Lists comments. */
export interface Comments extends Pick<CommentsResource, keyof CommentsResource> {}

/** Reads and sends direct messages of Instagram accounts. */
export interface Messages extends Pick<MessagesResource, keyof MessagesResource> {}

/** Comment automations and their logs. */
export interface Automations extends Pick<AutomationsResource, keyof AutomationsResource> {}

/** Analytics of posts and of Instagram accounts. */
export interface Analytics extends Pick<AnalyticsResource, keyof AnalyticsResource> {}

/** Subscriptions to events of posts. */
export interface Notifications extends Pick<NotificationsResource, keyof NotificationsResource> {}

/** Connected social accounts. */
export interface Integrations extends Pick<IntegrationsResource, keyof IntegrationsResource> {}

/** The client's own OAuth apps. */
export interface Apps extends Pick<AppsResource, keyof AppsResource> {}
