/**
 * The zod schemas of every request, response and event, built with `zod/mini`. They compose with your zod:
 * `z.extend(PostSchema, {...})`, `z.array(PostSchema)`, `z.toJSONSchema(PostSchema)`.
 *
 * Request schemas describe the sent JSON: date-times are strings, never a `Date`. Response schemas keep unknown fields,
 * and require only essential fields.
 *
 * @module
 */

import {
  createPostBodySchema,
  createPostResponseSchema,
  listPostsQuerySchema,
  listPostsResponseSchema,
  postSchema,
  updateScheduledPostBodySchema,
  updateScheduledPostResponseSchema,
} from './posts/posts.js';
import { commentSchema, listCommentsQuerySchema, listCommentsResponseSchema } from './resources/comments.js';
import {
  conversationSchema,
  listConversationsQuerySchema,
  listConversationsResponseSchema,
  listMessagesQuerySchema,
  listMessagesResponseSchema,
  messageSchema,
  sendMessageBodySchema,
  sendMessageResponseSchema,
} from './resources/messages.js';
import {
  automationLogSchema,
  automationResponseSchema,
  automationSchema,
  createAutomationBodySchema,
  eligiblePostSchema,
  listAutomationLogsQuerySchema,
  listAutomationLogsResponseSchema,
  listAutomationsQuerySchema,
  listAutomationsResponseSchema,
  listEligiblePostsQuerySchema,
  listEligiblePostsResponseSchema,
} from './resources/automations.js';
import {
  getInstagramInsightsQuerySchema,
  getPostAnalyticsQuerySchema,
  getPostAnalyticsResponseSchema,
  instagramInsightsSchema,
  listPostAnalyticsQuerySchema,
  listPostAnalyticsResponseSchema,
  postAnalyticsSchema,
} from './resources/analytics.js';
import {
  createNotificationBodySchema,
  createNotificationResponseSchema,
  notificationSubscriptionSchema,
} from './resources/notifications.js';
import {
  getIntegrationResponseSchema,
  integrationDetailSchema,
  integrationSchema,
  listIntegrationsQuerySchema,
  listIntegrationsResponseSchema,
  selectAccountsBodySchema,
  selectionResponseSchema,
  updateIntegrationBodySchema,
  updateIntegrationResponseSchema,
} from './resources/integrations.js';
import { createAppBodySchema, createAppResponseSchema, oauthAppSchema } from './resources/apps.js';
import { webhookEventSchema } from './schema/event.js';

/** A post, as lists show it. */
export const PostSchema = /* @__PURE__ */ postSchema();
/** The body of `posts.create`. */
export const CreatePostBodySchema = /* @__PURE__ */ createPostBodySchema();
/** The reply to `posts.create`. */
export const CreatePostResponseSchema = /* @__PURE__ */ createPostResponseSchema();
/** The query of `posts.list`. */
export const ListPostsQuerySchema = /* @__PURE__ */ listPostsQuerySchema();
/** A page of `posts.list`. */
export const ListPostsResponseSchema = /* @__PURE__ */ listPostsResponseSchema();
/** The body of `posts.updateScheduled`. */
export const UpdateScheduledPostBodySchema = /* @__PURE__ */ updateScheduledPostBodySchema();
/** The reply to `posts.updateScheduled`. */
export const UpdateScheduledPostResponseSchema = /* @__PURE__ */ updateScheduledPostResponseSchema();

/** A comment with its first-level replies. */
export const CommentSchema = /* @__PURE__ */ commentSchema();
/** The query of `comments.list`. */
export const ListCommentsQuerySchema = /* @__PURE__ */ listCommentsQuerySchema();
/** A page of `comments.list`. */
export const ListCommentsResponseSchema = /* @__PURE__ */ listCommentsResponseSchema();

/** A direct message. */
export const MessageSchema = /* @__PURE__ */ messageSchema();
/** A conversation. */
export const ConversationSchema = /* @__PURE__ */ conversationSchema();
/** The query of `messages.listConversations`. */
export const ListConversationsQuerySchema = /* @__PURE__ */ listConversationsQuerySchema();
/** A page of `messages.listConversations`. */
export const ListConversationsResponseSchema = /* @__PURE__ */ listConversationsResponseSchema();
/** The query of `messages.list`. */
export const ListMessagesQuerySchema = /* @__PURE__ */ listMessagesQuerySchema();
/** A page of `messages.list`. */
export const ListMessagesResponseSchema = /* @__PURE__ */ listMessagesResponseSchema();
/** The body of `messages.send`. */
export const SendMessageBodySchema = /* @__PURE__ */ sendMessageBodySchema();
/** The reply to `messages.send`. */
export const SendMessageResponseSchema = /* @__PURE__ */ sendMessageResponseSchema();

/** A comment automation. */
export const AutomationSchema = /* @__PURE__ */ automationSchema();
/** One run of an automation. */
export const AutomationLogSchema = /* @__PURE__ */ automationLogSchema();
/** An Instagram post that an automation can watch. */
export const EligiblePostSchema = /* @__PURE__ */ eligiblePostSchema();
/** The body of `automations.create`. */
export const CreateAutomationBodySchema = /* @__PURE__ */ createAutomationBodySchema();
/** The whole reply to `automations.create`. */
export const AutomationResponseSchema = /* @__PURE__ */ automationResponseSchema();
/** The query of `automations.list`. */
export const ListAutomationsQuerySchema = /* @__PURE__ */ listAutomationsQuerySchema();
/** The whole reply to `automations.list`. */
export const ListAutomationsResponseSchema = /* @__PURE__ */ listAutomationsResponseSchema();
/** The query of `automations.listEligiblePosts`. */
export const ListEligiblePostsQuerySchema = /* @__PURE__ */ listEligiblePostsQuerySchema();
/** A page of `automations.listEligiblePosts`. */
export const ListEligiblePostsResponseSchema = /* @__PURE__ */ listEligiblePostsResponseSchema();
/** The query of `automations.listLogs`. */
export const ListAutomationLogsQuerySchema = /* @__PURE__ */ listAutomationLogsQuerySchema();
/** A page of `automations.listLogs`. */
export const ListAutomationLogsResponseSchema = /* @__PURE__ */ listAutomationLogsResponseSchema();

/** A post with its metrics. */
export const PostAnalyticsSchema = /* @__PURE__ */ postAnalyticsSchema();
/** The query of `analytics.getPost`, with the post ID. */
export const GetPostAnalyticsQuerySchema = /* @__PURE__ */ getPostAnalyticsQuerySchema();
/** The whole reply to `analytics.getPost`. */
export const GetPostAnalyticsResponseSchema = /* @__PURE__ */ getPostAnalyticsResponseSchema();
/** The query of `analytics.listPosts`. */
export const ListPostAnalyticsQuerySchema = /* @__PURE__ */ listPostAnalyticsQuerySchema();
/** A page of `analytics.listPosts`. The API document does not show its shape. */
export const ListPostAnalyticsResponseSchema = /* @__PURE__ */ listPostAnalyticsResponseSchema();
/** The query of `analytics.getInstagramInsights`. Its `metrics` are comma-separated. */
export const GetInstagramInsightsQuerySchema = /* @__PURE__ */ getInstagramInsightsQuerySchema();
/** The reply to `analytics.getInstagramInsights`. */
export const InstagramInsightsSchema = /* @__PURE__ */ instagramInsightsSchema();

/** A notification subscription. */
export const NotificationSubscriptionSchema = /* @__PURE__ */ notificationSubscriptionSchema();
/** The body of `notifications.create`. */
export const CreateNotificationBodySchema = /* @__PURE__ */ createNotificationBodySchema();
/** The whole reply to `notifications.create`. */
export const CreateNotificationResponseSchema = /* @__PURE__ */ createNotificationResponseSchema();

/** A connected account. */
export const IntegrationSchema = /* @__PURE__ */ integrationSchema();
/** A connected account, as its single read shows it. */
export const IntegrationDetailSchema = /* @__PURE__ */ integrationDetailSchema();
/** The query of `integrations.list`. */
export const ListIntegrationsQuerySchema = /* @__PURE__ */ listIntegrationsQuerySchema();
/** A page of `integrations.list`. */
export const ListIntegrationsResponseSchema = /* @__PURE__ */ listIntegrationsResponseSchema();
/** The whole reply to `integrations.get`. */
export const GetIntegrationResponseSchema = /* @__PURE__ */ getIntegrationResponseSchema();
/** The body of `integrations.update`. */
export const UpdateIntegrationBodySchema = /* @__PURE__ */ updateIntegrationBodySchema();
/** The whole reply to `integrations.update`. */
export const UpdateIntegrationResponseSchema = /* @__PURE__ */ updateIntegrationResponseSchema();
/** The body of `integrations.selectFacebookPages` and `selectInstagramAccounts`. */
export const SelectAccountsBodySchema = /* @__PURE__ */ selectAccountsBodySchema();
/** The reply to `integrations.selectFacebookPages` and `selectInstagramAccounts`. */
export const SelectionResponseSchema = /* @__PURE__ */ selectionResponseSchema();

/** A registered OAuth app. */
export const OAuthAppSchema = /* @__PURE__ */ oauthAppSchema();
/** The body of `apps.create`. */
export const CreateAppBodySchema = /* @__PURE__ */ createAppBodySchema();
/** The whole reply to `apps.create`. */
export const CreateAppResponseSchema = /* @__PURE__ */ createAppResponseSchema();

/** The payload of an event of a documented type and shape, as it is delivered: without `known`, which `verifyWebhook` adds. */
export const WebhookEventSchema = /* @__PURE__ */ webhookEventSchema();
