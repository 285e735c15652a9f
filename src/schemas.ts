/**
 * The zod schemas of every request, response and event, built with `zod/mini`. They compose with your zod:
 * `z.extend(PostSchema, {...})`, `z.array(PostSchema)`, `z.toJSONSchema(PostSchema)`.
 *
 * Request schemas describe the sent JSON: date-times are strings, never a `Date`. Response schemas keep unknown fields,
 * and require only essential fields.
 *
 * @module
 */

import * as posts from './posts/posts.js';
import * as comments from './resources/comments.js';
import * as messages from './resources/messages.js';
import * as automations from './resources/automations.js';
import * as analytics from './resources/analytics.js';
import * as notifications from './resources/notifications.js';
import * as integrations from './resources/integrations.js';
import * as apps from './resources/apps.js';
import * as event from './schema/event.js';

/** A post, as lists show it. */
export const PostSchema = /* @__PURE__ */ posts.postSchema();
/** The body of `posts.create`. */
export const CreatePostBodySchema = /* @__PURE__ */ posts.createPostBodySchema();
/** The reply to `posts.create`. */
export const CreatePostResponseSchema = /* @__PURE__ */ posts.createPostResponseSchema();
/** The query of `posts.list`. */
export const ListPostsQuerySchema = /* @__PURE__ */ posts.listPostsQuerySchema();
/** A page of `posts.list`. */
export const ListPostsResponseSchema = /* @__PURE__ */ posts.listPostsResponseSchema();
/** The body of `posts.updateScheduled`. */
export const UpdateScheduledPostBodySchema = /* @__PURE__ */ posts.updateScheduledPostBodySchema();
/** The reply to `posts.updateScheduled`. */
export const UpdateScheduledPostResponseSchema = /* @__PURE__ */ posts.updateScheduledPostResponseSchema();

/** A comment with its first-level replies. */
export const CommentSchema = /* @__PURE__ */ comments.commentSchema();
/** The query of `comments.list`. */
export const ListCommentsQuerySchema = /* @__PURE__ */ comments.listCommentsQuerySchema();
/** A page of `comments.list`. */
export const ListCommentsResponseSchema = /* @__PURE__ */ comments.listCommentsResponseSchema();

/** A direct message. */
export const MessageSchema = /* @__PURE__ */ messages.messageSchema();
/** A conversation. */
export const ConversationSchema = /* @__PURE__ */ messages.conversationSchema();
/** The query of `messages.listConversations`. */
export const ListConversationsQuerySchema = /* @__PURE__ */ messages.listConversationsQuerySchema();
/** A page of `messages.listConversations`. */
export const ListConversationsResponseSchema = /* @__PURE__ */ messages.listConversationsResponseSchema();
/** The query of `messages.list`. */
export const ListMessagesQuerySchema = /* @__PURE__ */ messages.listMessagesQuerySchema();
/** A page of `messages.list`. */
export const ListMessagesResponseSchema = /* @__PURE__ */ messages.listMessagesResponseSchema();
/** The body of `messages.send`. */
export const SendMessageBodySchema = /* @__PURE__ */ messages.sendMessageBodySchema();
/** The reply to `messages.send`. */
export const SendMessageResponseSchema = /* @__PURE__ */ messages.sendMessageResponseSchema();

/** A comment automation. */
export const AutomationSchema = /* @__PURE__ */ automations.automationSchema();
/** One run of an automation. */
export const AutomationLogSchema = /* @__PURE__ */ automations.automationLogSchema();
/** An Instagram post that an automation can watch. */
export const EligiblePostSchema = /* @__PURE__ */ automations.eligiblePostSchema();
/** The body of `automations.create`. */
export const CreateAutomationBodySchema = /* @__PURE__ */ automations.createAutomationBodySchema();
/** The whole reply to `automations.create`. */
export const AutomationResponseSchema = /* @__PURE__ */ automations.automationResponseSchema();
/** The query of `automations.list`. */
export const ListAutomationsQuerySchema = /* @__PURE__ */ automations.listAutomationsQuerySchema();
/** The whole reply to `automations.list`. */
export const ListAutomationsResponseSchema = /* @__PURE__ */ automations.listAutomationsResponseSchema();
/** The query of `automations.listEligiblePosts`. */
export const ListEligiblePostsQuerySchema = /* @__PURE__ */ automations.listEligiblePostsQuerySchema();
/** A page of `automations.listEligiblePosts`. */
export const ListEligiblePostsResponseSchema = /* @__PURE__ */ automations.listEligiblePostsResponseSchema();
/** The query of `automations.listLogs`. */
export const ListAutomationLogsQuerySchema = /* @__PURE__ */ automations.listAutomationLogsQuerySchema();
/** A page of `automations.listLogs`. */
export const ListAutomationLogsResponseSchema = /* @__PURE__ */ automations.listAutomationLogsResponseSchema();

/** A post with its metrics. */
export const PostAnalyticsSchema = /* @__PURE__ */ analytics.postAnalyticsSchema();
/** The query of `analytics.getPost`, with the post ID. */
export const GetPostAnalyticsQuerySchema = /* @__PURE__ */ analytics.getPostAnalyticsQuerySchema();
/** The whole reply to `analytics.getPost`. */
export const GetPostAnalyticsResponseSchema = /* @__PURE__ */ analytics.getPostAnalyticsResponseSchema();
/** The query of `analytics.listPosts`. */
export const ListPostAnalyticsQuerySchema = /* @__PURE__ */ analytics.listPostAnalyticsQuerySchema();
/** A page of `analytics.listPosts`. The API document does not show its shape. */
export const ListPostAnalyticsResponseSchema = /* @__PURE__ */ analytics.listPostAnalyticsResponseSchema();
/** The query of `analytics.getInstagramInsights`. Its `metrics` are comma-separated. */
export const GetInstagramInsightsQuerySchema = /* @__PURE__ */ analytics.getInstagramInsightsQuerySchema();
/** The reply to `analytics.getInstagramInsights`. */
export const InstagramInsightsSchema = /* @__PURE__ */ analytics.instagramInsightsSchema();

/** A notification subscription. */
export const NotificationSubscriptionSchema = /* @__PURE__ */ notifications.notificationSubscriptionSchema();
/** The body of `notifications.create`. */
export const CreateNotificationBodySchema = /* @__PURE__ */ notifications.createNotificationBodySchema();
/** The whole reply to `notifications.create`. */
export const CreateNotificationResponseSchema = /* @__PURE__ */ notifications.createNotificationResponseSchema();

/** A connected account. */
export const IntegrationSchema = /* @__PURE__ */ integrations.integrationSchema();
/** A connected account, as its single read shows it. */
export const IntegrationDetailSchema = /* @__PURE__ */ integrations.integrationDetailSchema();
/** The query of `integrations.list`. */
export const ListIntegrationsQuerySchema = /* @__PURE__ */ integrations.listIntegrationsQuerySchema();
/** A page of `integrations.list`. */
export const ListIntegrationsResponseSchema = /* @__PURE__ */ integrations.listIntegrationsResponseSchema();
/** The whole reply to `integrations.get`. */
export const GetIntegrationResponseSchema = /* @__PURE__ */ integrations.getIntegrationResponseSchema();
/** The body of `integrations.update`. */
export const UpdateIntegrationBodySchema = /* @__PURE__ */ integrations.updateIntegrationBodySchema();
/** The whole reply to `integrations.update`. */
export const UpdateIntegrationResponseSchema = /* @__PURE__ */ integrations.updateIntegrationResponseSchema();
/** The body of `integrations.selectFacebookPages` and `selectInstagramAccounts`. */
export const SelectAccountsBodySchema = /* @__PURE__ */ integrations.selectAccountsBodySchema();
/** The reply to `integrations.selectFacebookPages` and `selectInstagramAccounts`. */
export const SelectionResponseSchema = /* @__PURE__ */ integrations.selectionResponseSchema();

/** A registered OAuth app. */
export const OAuthAppSchema = /* @__PURE__ */ apps.oauthAppSchema();
/** The body of `apps.create`. */
export const CreateAppBodySchema = /* @__PURE__ */ apps.createAppBodySchema();
/** The whole reply to `apps.create`. */
export const CreateAppResponseSchema = /* @__PURE__ */ apps.createAppResponseSchema();

/** The payload of an event of a documented type and shape, as it is delivered: without `known`, which `verifyWebhook` adds. */
export const WebhookEventSchema = /* @__PURE__ */ event.webhookEventSchema();
