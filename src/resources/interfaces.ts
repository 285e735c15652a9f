/**
 * What each resource offers, without the private fields of its class: a plain object can stand in its place in tests.
 */
/* eslint-disable @typescript-eslint/no-empty-object-type -- an interface has a name in an editor's hover, which a type has not */
import type { PostsResource } from './posts.js';
import type { CommentsResource } from './comments.js';
import type { MessagesResource } from './messages.js';
import type { AutomationsResource } from './automations.js';
import type { AnalyticsResource } from './analytics.js';
import type { NotificationsResource } from './notifications.js';
import type { IntegrationsResource } from './integrations.js';
import type { AppsResource } from './apps.js';

/** Creates, lists and edits posts, waits for them, and looks for a create whose outcome is unknown. */
export interface Posts extends Pick<PostsResource, keyof PostsResource> {}

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
