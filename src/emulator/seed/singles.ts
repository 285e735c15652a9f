import { withoutUndefined } from '../../core/json.js';
import { parseUrl } from '../../core/parse-url.js';
import type { InstagramMetric, PostMetrics } from '../../resources/analytics.js';
import type { Automation, AutomationLog, EligiblePost } from '../../resources/automations.js';
import type { Comment } from '../../resources/comments.js';
import type { Integration, IntegrationDetail } from '../../resources/integrations.js';
import type { Conversation, Message } from '../../resources/messages.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import type { Post } from '../../posts/posts.js';
import type { Service } from '../handlers/handler.js';
import {
  seedAutomation,
  seedAutomationLog,
  seedEligiblePost,
  type AutomationLogSeed,
  type AutomationSeed,
  type EligiblePostSeed,
} from './automation.js';
import {
  seedComment,
  type CommentSeed,
  seedConversation,
  seedMessage,
  type ConversationSeed,
  type MessageSeed,
} from './conversation.js';
import { seedMetrics, type AccountMetricsSeed, type PostMetricsSeed } from './metrics.js';
import { seedPost, type PostSeed } from './post.js';
import type { KnownPlatform } from '../../model/known-values.js';
import { connect } from '../handlers/connect.js';
import { shownIntegration } from '../handlers/integrations.js';
import { knownEventTypes } from '../../model/events.js';
import { newSecret, recipientIssues } from '../handlers/notifications.js';
import { timestamp } from '../state/time.js';

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

/** An integration to seed: any of its fields. */
export type IntegrationSeed = Partial<IntegrationDetail> & {
  /** The platform. */
  readonly platform: KnownPlatform;
};

export function seedIntegration(service: Service, fields: IntegrationSeed): Integration {
  return shownIntegration(connect(service, fields));
}

/** An account to choose: its fields become the fields of the integration. */
export type SelectableAccountSeed = Partial<Omit<IntegrationDetail, 'id'>> & {
  /** The ID for `selectedAccountIds`. */
  readonly id: string;
};

/** Accounts to choose from, as a user sees them after signing in at the platform. */
export interface SelectionSeed {
  /** The platform. */
  readonly platform: 'facebook' | 'instagram';
  /** The accounts to choose from. */
  readonly accounts: readonly SelectableAccountSeed[];
  /** Default: a new token that is long enough for both platforms. */
  readonly token?: string | undefined;
  /** The page to which the reply redirects the browser. */
  readonly redirectUri?: string | undefined;
}

/** The result of seeding a selection. */
export interface SeededSelection {
  /** The one-time selection token. */
  token: string;
}

const tokenDigits = 40;

export function seedSelection({ store }: Service, fields: SelectionSeed): SeededSelection {
  const { platform, accounts, token = `sel_${store.hex(tokenDigits)}` } = fields;
  const { redirectUri = 'https://app.example/connected' } = fields;
  const wrongLength = platform === 'instagram' && (token.length < 20 || token.length > 100);
  if (token === '' || wrongLength)
    throw new TypeError('seed.selection: a Facebook token has at least 1 character, an Instagram token 20 to 100.');
  if (accounts.some((account) => (account.platform ?? platform) !== platform))
    throw new TypeError(`seed.selection: the accounts must be on ${platform}, like the selection.`);
  store.state.selections.set(token, { platform, accounts, redirectUri, used: false });
  return { token };
}

/** A subscription to seed, including its signing secret. */
export type SubscriptionSeed = Partial<NotificationSubscription>;

export function seedSubscription({ store, clock }: Service, fields: SubscriptionSeed): NotificationSubscription {
  const id = fields.id ?? store.id('notification');
  const channel = fields.channel ?? (fields.email === undefined ? 'webhook' : 'email');
  const now = timestamp(clock.now());
  const { webhook, ...rest } = fields;
  const subscription: NotificationSubscription = withoutUndefined({
    id,
    channel,
    eventTypes: [...knownEventTypes],
    onlyScheduledPosts: false,
    enabled: true,
    webhook: channel === 'webhook' ? { secret: newSecret(store), ...webhook } : webhook,
    createdAt: now,
    updatedAt: now,
    ...withoutUndefined(rest),
  });
  if (channel === 'webhook') checkWebhook(subscription.webhook ?? {});
  const [issue] = recipientIssues(subscription.email?.recipients);
  if (issue !== undefined) throw new TypeError(`seed.subscription: ${issue.path.join('.')} ${issue.message}.`);
  store.state.subscriptions.set(id, subscription);
  return subscription;
}

/** Checks what the schema of a subscription does not. */
function checkWebhook({ url, secret }: Partial<NonNullable<NotificationSubscription['webhook']>>): void {
  if (url === undefined || !/^https?:\/\//i.test(url) || parseUrl(url) === undefined)
    throw new TypeError('seed.subscription: webhook.url must be an http or https address.');
  if (secret === undefined || secret.trim() === '' || /[*•…]{3,}/u.test(secret))
    throw new TypeError('seed.subscription: webhook.secret must be a complete secret: deliveries are signed with it.');
}
