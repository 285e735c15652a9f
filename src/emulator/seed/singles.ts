import type { InstagramMetric, PostMetrics } from '../../resources/analytics.js';
import type { Automation, AutomationLog, EligiblePost } from '../../resources/automations.js';
import type { Comment } from '../../resources/comments.js';
import type { Integration } from '../../resources/integrations.js';
import type { Conversation, Message } from '../../resources/messages.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import type { Post } from '../../resources/posts.js';
import type { Service } from '../handlers/handler.js';
import {
  seedAutomation,
  seedAutomationLog,
  seedEligiblePost,
  type AutomationLogSeed,
  type AutomationSeed,
  type EligiblePostSeed,
} from './automation.js';
import { seedComment, type CommentSeed } from './comment.js';
import { seedConversation, seedMessage, type ConversationSeed, type MessageSeed } from './conversation.js';
import { seedIntegration, type IntegrationSeed } from './integration.js';
import { seedMetrics, type AccountMetricsSeed, type PostMetricsSeed } from './metrics.js';
import { seedPost, type PostSeed } from './post.js';
import { seedSelection, type SeededSelection, type SelectionSeed } from './selection.js';
import { seedSubscription, type SubscriptionSeed } from './subscription.js';

/** Adds single items. Each method returns the item as the service would. */
export interface SingleSeeds {
  /** A connected account. Its `id` is the `accountId` of other seeds. */
  integration(fields: IntegrationSeed): Integration;
  /** A post in any status. */
  post(fields: PostSeed): Post;
  /** A comment on a platform's post, with its replies. */
  comment(fields: CommentSeed): Comment;
  /** A conversation, at first without messages. */
  conversation(fields: ConversationSeed): Conversation;
  /** A message of a conversation. */
  message(fields: MessageSeed): Message;
  /** A post of an Instagram account that an automation can watch. */
  eligiblePost(fields: EligiblePostSeed): EligiblePost;
  /** Metrics of a post. Later seeds are merged over earlier ones. */
  metrics(fields: PostMetricsSeed): PostMetrics;
  /** Metrics of an account on a day. Later seeds are merged over earlier ones. */
  metrics(fields: AccountMetricsSeed): Readonly<Partial<Record<InstagramMetric, number>>>;
  /** A comment automation. */
  automation(fields: AutomationSeed): Automation;
  /** A run of an automation. The automation's `stats` count it. */
  automationLog(fields: AutomationLogSeed): AutomationLog;
  /** A one-time token for a selection of accounts. */
  selection(fields: SelectionSeed): SeededSelection;
  /** A subscription to events, with its complete signing secret. */
  subscription(fields: SubscriptionSeed): NotificationSubscription;
}

export function createSingleSeeds(service: Service): SingleSeeds {
  return {
    integration: (fields) => seedIntegration(service, fields),
    post: (fields) => seedPost(service, fields),
    comment: (fields) => seedComment(service, fields),
    conversation: (fields) => seedConversation(service, fields),
    message: (fields) => seedMessage(service, fields),
    eligiblePost: (fields) => seedEligiblePost(service, fields),
    metrics: (fields: PostMetricsSeed | AccountMetricsSeed) => seedMetrics(service, fields),
    automation: (fields) => seedAutomation(service, fields),
    automationLog: (fields) => seedAutomationLog(service, fields),
    selection: (fields) => seedSelection(service, fields),
    subscription: (fields) => seedSubscription(service, fields),
  };
}
