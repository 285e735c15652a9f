import type * as z from 'zod/mini';
import {
  automationLogSchema,
  automationSchema,
  eligiblePostSchema,
  type Automation,
  type AutomationLog,
  type EligiblePost,
} from '../../resources/automations.js';
import {
  instagramMetrics,
  type InsightBreakdown,
  type InstagramMetric,
  type PostMetrics,
} from '../../resources/analytics.js';
import { commentPlatforms, commentSchema, type Comment, type CommentReply } from '../../resources/comments.js';
import { integrationDetailSchema, type Integration, type IntegrationDetail } from '../../resources/integrations.js';
import { conversationSchema, messageSchema, type Conversation, type Message } from '../../resources/messages.js';
import { notificationSubscriptionSchema, type NotificationSubscription } from '../../resources/notifications.js';
import {
  isKnownPostStatus,
  knownPostStatuses,
  postSchema,
  type KnownPostStatus,
  type Post,
  type PostTarget,
} from '../../resources/posts.js';
import { knownEventTypes } from '../../model/events.js';
import type { KnownPlatform } from '../../model/platforms.js';
import { formatIssue } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { shownAutomation } from '../handlers/automations.js';
import type { Service } from '../handlers/behaviour.js';
import { day, timestamp } from '../service/time.js';
import { connect, shownIntegration, withoutUndefined } from '../handlers/integrations.js';
import { listedPost } from '../service/lifecycle.js';
import { addMessage, selfOf, shownConversation } from '../handlers/messages.js';
import {
  checkDateTimes,
  checkDay,
  checkMetrics,
  checkPlatform,
  checkWebhook,
  failing,
  postMetricNames,
} from './checks.js';
import type { StoredTarget, TargetStatus } from '../service/store.js';

/** An integration to seed: any of its fields. */
export type IntegrationSeed = Partial<IntegrationDetail> & {
  /** The platform. */
  readonly platform: KnownPlatform;
};

/**
 * A post to seed: any of its fields. Its targets may name their integration. Seeding sends no `post.scheduled`; a scheduled
 * one has its final event when it is published.
 */
export type PostSeed = Omit<Partial<Post>, 'platforms' | 'status'> & {
  /** Default: `scheduled` with `scheduledFor`, else `draft`. A scheduled one is published when its time comes. */
  readonly status?: KnownPostStatus | undefined;
  /** `accountId` may be left out where only one integration is on the platform. */
  readonly platforms?: readonly PostTargetSeed[] | undefined;
};

/** A target of a post to seed: any of its fields. */
export type PostTargetSeed = PostTarget & {
  /** The platform. */
  readonly platform: KnownPlatform;
  /** The integration's ID. */
  readonly accountId?: string | undefined;
};

/** A comment to seed. `postId` is the platform's own post ID. */
export type CommentSeed = Omit<Partial<Comment>, 'replies'> & {
  /** The integration's ID. */
  readonly accountId: string;
  /** The post's ID on the platform. */
  readonly postId: string;
  /** First-level replies: any of their fields. */
  readonly replies?: readonly Partial<CommentReply>[] | undefined;
};

/** A conversation to seed. */
export type ConversationSeed = Omit<Partial<Conversation>, 'lastMessage'> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** A message to seed. Default sender: the conversation's other side. */
export type MessageSeed = Partial<Message> & {
  /** The integration's ID. */
  readonly accountId: string;
  /** The conversation's ID. */
  readonly conversationId: string;
};

/** A post that an automation can watch. */
export type EligiblePostSeed = Partial<EligiblePost> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** Figures of a post: `postId` is the service's own, or the platform's own together with `accountId`. */
export interface PostMetricsSeed {
  /** The post's ID. */
  readonly postId: string;
  /** The integration's ID, with a platform's own post ID. */
  readonly accountId?: string | undefined;
  /** Only the figures on this platform. Default: of all platforms together. */
  readonly platform?: KnownPlatform | undefined;
  /** The figures. */
  readonly metrics: PostMetrics;
}

/** Figures of an account on one day, for the insights. */
export interface AccountMetricsSeed {
  /** The integration's ID. */
  readonly accountId: string;
  /** Never there: with it, the figures are a post's. */
  readonly postId?: undefined;
  /** `YYYY-MM-DD`. Default: the emulator's day. */
  readonly date?: string | undefined;
  /** The day's figures by metric. Those that are left out stay as they were. */
  readonly metrics: Readonly<Partial<Record<InstagramMetric, number>>>;
  /** Parts of totals, shown where a query asks for one of their dimensions. */
  readonly breakdowns?: Readonly<Partial<Record<InstagramMetric, InsightBreakdown[]>>> | undefined;
}

/** An automation to seed. */
export type AutomationSeed = Partial<Automation> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** A run of an automation. */
export type AutomationLogSeed = Partial<AutomationLog> & {
  /** The automation's ID. */
  readonly automationId: string;
};

/** An account to choose: its fields go into the integration that it becomes. */
export type SelectableAccountSeed = Partial<Omit<IntegrationDetail, 'id'>> & {
  /** What `selectedAccountIds` names. */
  readonly id: string;
};

/** Accounts to choose from, as a user sees them after signing in at the platform. */
export interface SelectionSeed {
  /** The platform. */
  readonly platform: 'facebook' | 'instagram';
  /** The accounts to choose from. */
  readonly accounts: readonly SelectableAccountSeed[];
  /** Default: a new one, long enough for both platforms. */
  readonly token?: string | undefined;
  /** Where the reply sends the browser next. */
  readonly redirectUri?: string | undefined;
}

/** A subscription to seed, its signing secret too. */
export type SubscriptionSeed = Partial<NotificationSubscription>;

/** What was seeded of a selection. */
export interface SeededSelection {
  /** The one-time selection token. */
  token: string;
}

/** What `seed.demo` filled the emulator with. */
export interface DemoSeed {
  /** The integrations, on all ten platforms. */
  readonly integrations: Integration[];
  /** The posts, in every state. */
  readonly posts: Post[];
  /** The automations, with runs in their logs. */
  readonly automations: Automation[];
  /** The conversations, with messages. */
  readonly conversations: Conversation[];
  /** Selection tokens that have not been used. */
  readonly selections: {
    /** Of Facebook Pages. */
    readonly facebook: string;
    /** Of Instagram accounts. */
    readonly instagram: string;
  };
}

/** Adds single things. Each gives back what the service would return for it. */
export interface Seed {
  /** Fills the emulator with a fortnight of a small company, up to now. The same seed, the same fortnight. */
  demo(): DemoSeed;
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
  /** Figures of a post. Seeded again, they are merged over the earlier ones. */
  metrics(fields: PostMetricsSeed): PostMetrics;
  /** Figures of an account on a day. Seeded again, they are merged over the earlier ones. */
  metrics(fields: AccountMetricsSeed): Readonly<Partial<Record<InstagramMetric, number>>>;
  /** A comment automation. */
  automation(fields: AutomationSeed): Automation;
  /** A run of an automation. The automation's `stats` count it. */
  automationLog(fields: AutomationLogSeed): AutomationLog;
  /** A one-time token for a selection of accounts. */
  selection(fields: SelectionSeed): SeededSelection;
  /** A subscription to events, its signing secret shown whole. */
  subscription(fields: SubscriptionSeed): NotificationSubscription;
}

const tokenDigits = 40;
const secretDigits = 48;
const selectionPlatforms: readonly string[] = ['facebook', 'instagram'] satisfies SelectionSeed['platform'][];

/** Refuses a seed that no reply of the service could hold, and cuts its ties to the caller's objects. */
function checked<T>(what: string, schema: z.ZodMiniType<T>, fields: object): T {
  checkDateTimes(failing(what), fields);
  const result = schema.safeParse(structuredClone(fields));
  if (result.success) return result.data;
  throw new TypeError(`seed.${what}: ${describeIssues(result.error.issues).map(formatIssue).join('; ')}`);
}

export function createSeed(service: Service): Omit<Seed, 'demo'> {
  const { store, clock, lifecycle } = service;
  const now = () => timestamp(clock.now());

  const integrationOf = (what: string, accountId: string): IntegrationDetail => {
    const integration = store.state.integrations.get(accountId);
    if (integration === undefined)
      throw new TypeError(`seed.${what}: accountId names no integration; seed that first.`);
    return integration;
  };

  /** The integration, where its platform has what is seeded. */
  const integrationOn = (
    what: string,
    accountId: string,
    platforms: readonly (string | undefined)[],
  ): IntegrationDetail => {
    const integration = integrationOf(what, accountId);
    if (!platforms.includes(integration.platform)) {
      throw new TypeError(`seed.${what}: accountId must be of an integration on ${platforms.join(', ')}.`);
    }
    return integration;
  };

  const accountOn = (platform: string): string => {
    const accounts = [...store.state.integrations.values()].filter((integration) => integration.platform === platform);
    const [only] = accounts;
    if (only === undefined || accounts.length > 1) {
      throw new TypeError(
        `seed.post: platforms needs an accountId where ${String(accounts.length)} integrations are on ${platform}.`,
      );
    }
    return only.id;
  };

  /** The account where the service published what has this ID on its platform. */
  const publisherOf = (platformPostId: string): string | undefined =>
    [...store.state.posts.values()]
      .flatMap((post) => post.targets)
      .find((target) => target.platformPostId === platformPostId)?.accountId;

  const metrics = (fields: PostMetricsSeed | AccountMetricsSeed): object => {
    const fail = failing('metrics');
    checkMetrics(fail, fields.metrics, fields.postId === undefined ? instagramMetrics : postMetricNames);
    const given = withoutUndefined(structuredClone(fields.metrics));
    if (fields.accountId !== undefined) integrationOf('metrics', fields.accountId);
    if (fields.postId === undefined) {
      const { accountId, date = day(clock.now()), breakdowns = {} } = fields;
      checkDay(fail, date);
      for (const name of Object.keys(breakdowns)) {
        if (!instagramMetrics.includes(name as InstagramMetric))
          fail(`breakdowns.${name} is none of ${instagramMetrics.join(', ')}.`);
      }
      integrationOn('metrics', accountId, ['instagram']);
      const { accountMetrics } = store.state;
      const index = accountMetrics.findIndex((entry) => entry.accountId === accountId && entry.date === date);
      const before = accountMetrics[index];
      const entry = {
        accountId,
        date,
        metrics: { ...before?.metrics, ...given },
        breakdowns: { ...before?.breakdowns, ...withoutUndefined(structuredClone(breakdowns)) },
      };
      if (index === -1) accountMetrics.push(entry);
      else accountMetrics[index] = entry;
    } else {
      const { postId, platform } = fields;
      if (platform !== undefined) checkPlatform(fail, platform);
      // The service's own post is found by its own ID, whoever's it is.
      const own = store.state.posts.has(postId);
      const accountId = own ? undefined : (fields.accountId ?? publisherOf(postId));
      if (!own && accountId === undefined) {
        throw new TypeError("seed.metrics: postId names no post; a platform's own post ID needs its accountId.");
      }
      const entry = { accountId, platform, at: now(), metrics: given };
      const { postMetrics } = store.state;
      postMetrics.set(postId, [...(postMetrics.get(postId) ?? []), entry]);
    }
    return structuredClone(given);
  };

  return {
    integration(fields) {
      const { id } = fields;
      checkPlatform(failing('integration'), fields.platform);
      const given = checked('integration', integrationDetailSchema(), { id: '', ...fields });
      const integration = connect(service, { ...given, platform: fields.platform, id: id ?? store.id('integration') });
      return structuredClone(shownIntegration(integration));
    },

    post(fields) {
      const given = checked('post', postSchema(), { postId: '', ...fields });
      const status = fields.status ?? (fields.scheduledFor === undefined ? 'draft' : 'scheduled');
      const fail = failing('post');
      if (!isKnownPostStatus(status)) fail(`status must be one of ${knownPostStatuses.join(', ')}.`);
      if (status === 'scheduled' && fields.scheduledFor === undefined) fail('a scheduled post needs scheduledFor.');
      for (const [index, { platform }] of (fields.platforms ?? []).entries())
        checkPlatform(fail, platform, `platforms.${String(index)}.platform`);
      const createdAt = given.createdAt ?? now();
      const targets = (fields.platforms ?? []).map((target): StoredTarget => {
        const accountId = target.accountId ?? accountOn(target.platform);
        const { platformPostId, platformPostUrl, publishedAt, errorMessage, warningMessage } = target;
        const known = { platformPostId, platformPostUrl, publishedAt, errorMessage, warningMessage };
        const stored: StoredTarget = {
          ...withoutUndefined(known),
          platform: target.platform,
          accountId,
          status: targetStatus(status, target),
        };
        if (stored.status === 'published') lifecycle.placeTarget(stored, given.scheduledFor ?? createdAt);
        return stored;
      });
      const post = {
        postId: fields.postId ?? store.id('post'),
        content: given.content,
        status,
        scheduledFor: given.scheduledFor,
        dueAt: undefined,
        timezone: given.timezone ?? 'UTC',
        mediaItems: given.mediaItems ?? [],
        crosspostingEnabled: given.crosspostingEnabled ?? false,
        rawRequestBody: given.rawRequestBody ?? {},
        createdAt,
        updatedAt: given.updatedAt ?? createdAt,
        targets,
        originallyScheduled: given.scheduledFor !== undefined,
        credits: 0,
      };
      lifecycle.add(post);
      if (status === 'scheduled') lifecycle.plan(post);
      if (status === 'publishing') lifecycle.begin(post);
      return structuredClone(listedPost(post));
    },

    comment(fields) {
      const { accountId, postId, ...rest } = fields;
      integrationOn('comment', accountId, commentPlatforms);
      const replies = (rest.replies ?? []).map((reply) => {
        const id = reply.id ?? store.id('reply');
        return {
          author: person(store.count('person')),
          timestamp: now(),
          likeCount: 0,
          ...withoutUndefined(reply),
          id,
        };
      });
      const id = rest.id ?? store.id('comment');
      const author = person(store.count('person'));
      const filled = {
        text: '',
        author,
        timestamp: now(),
        likeCount: 0,
        hidden: false,
        ...withoutUndefined(rest),
        id,
        replies,
      };
      const comment: Comment = checked('comment', commentSchema(), filled);
      store.state.comments.push({ accountId, postId, comment });
      return structuredClone(comment);
    },

    conversation(fields) {
      const { accountId, ...rest } = fields;
      const self = selfOf(integrationOn('conversation', accountId, ['instagram']));
      const other = person(store.count('person'));
      const participants = rest.participants ?? [
        { ...other, username: other.id, profilePictureUrl: `https://images.service.invalid/${other.id}.png` },
        { id: self.id, name: self.name, username: self.name },
      ];
      const id = rest.id ?? store.id('conversation');
      const given = checked('conversation', conversationSchema(), { ...rest, id, participants });
      const conversation = {
        id,
        accountId,
        participants: given.participants ?? [],
        updatedTime: given.updatedTime ?? now(),
      };
      store.state.conversations.set(id, conversation);
      return structuredClone(shownConversation(store, conversation));
    },

    message(fields) {
      const { accountId, conversationId, ...rest } = fields;
      const self = selfOf(integrationOf('message', accountId));
      const conversation = store.state.conversations.get(conversationId);
      if (conversation?.accountId !== accountId)
        throw new TypeError('seed.message: conversationId names no conversation of the account.');
      const other = conversation.participants.find((participant) => participant.id !== self.id);
      const from = {
        ...(other?.id === undefined ? {} : { id: other.id }),
        ...(other?.name === undefined ? {} : { name: other.name }),
      };
      const filled = { text: '', from, ...withoutUndefined(rest), id: rest.id ?? store.id('message') };
      const message = { ...checked('message', messageSchema(), filled), timestamp: rest.timestamp ?? now() };
      addMessage(store, conversation, message);
      return structuredClone(message);
    },

    eligiblePost(fields) {
      const { accountId, ...rest } = fields;
      integrationOf('eligiblePost', accountId);
      const id = rest.id ?? store.id('platformPost');
      const filled = {
        caption: '',
        mediaType: 'IMAGE',
        permalink: `https://www.instagram.com/p/${encodeURIComponent(id)}`,
        previewUrl: `https://images.service.invalid/${encodeURIComponent(id)}.png`,
        timestamp: now(),
        ...withoutUndefined(rest),
        id,
      };
      const post: EligiblePost = checked('eligiblePost', eligiblePostSchema(), filled);
      store.state.eligiblePosts.push({ accountId, post });
      return structuredClone(post);
    },

    metrics,

    automation(fields) {
      const { platform } = integrationOf('automation', fields.accountId);
      const filled = {
        platform,
        name: 'Automation',
        status: 'active',
        createdAt: now(),
        updatedAt: now(),
        ...withoutUndefined(fields),
        id: fields.id ?? store.id('automation'),
        trigger: { postScope: 'any', keywords: [], matchMode: 'exact', excludeKeywords: [], ...fields.trigger },
        actions: { publicReplies: [], ...fields.actions },
      };
      const automation: Automation = checked('automation', automationSchema(), filled);
      store.state.automations.set(automation.id, { automation });
      return structuredClone(shownAutomation(store, automation));
    },

    automationLog(fields) {
      const { automationId, ...rest } = fields;
      if (!store.state.automations.has(automationId))
        throw new TypeError('seed.automationLog: automationId names no automation.');
      const commenter = person(store.count('person'));
      const filled = {
        commentId: store.id('comment'),
        commenterId: commenter.id,
        commenterName: commenter.name,
        commentText: '',
        platformPostId: 'instagram_post',
        status: 'running',
        privateReplySent: rest.error === undefined,
        publicReplyStatus: 'sent',
        createdAt: now(),
        ...withoutUndefined(rest),
        id: rest.id ?? store.id('log'),
      };
      const log: AutomationLog = checked('automationLog', automationLogSchema(), filled);
      store.state.logs.push({ automationId, log });
      return structuredClone(log);
    },

    selection({
      platform,
      accounts,
      token = `sel_${store.hex(tokenDigits)}`,
      redirectUri = 'https://app.example/connected',
    }) {
      if (!selectionPlatforms.includes(platform))
        throw new TypeError(`seed.selection: platform must be one of ${selectionPlatforms.join(', ')}.`);
      const tooLong = platform === 'instagram' && (token.length < 20 || token.length > 100);
      if (token === '' || tooLong)
        throw new TypeError('seed.selection: a Facebook token has at least 1 character, an Instagram token 20 to 100.');
      for (const fields of accounts) {
        checked('selection', integrationDetailSchema(), fields);
        if ((fields.platform ?? platform) !== platform)
          throw new TypeError(`seed.selection: the accounts must be of ${platform}, as the selection is.`);
      }
      store.state.selections.set(token, { platform, accounts: structuredClone(accounts), redirectUri, used: false });
      return { token };
    },

    subscription(fields) {
      const id = fields.id ?? store.id('notification');
      const channel = fields.channel ?? (fields.email === undefined ? 'webhook' : 'email');
      const filled = {
        channel,
        eventTypes: [...knownEventTypes],
        onlyScheduledPosts: false,
        enabled: true,
        createdAt: now(),
        updatedAt: now(),
        ...withoutUndefined(fields),
        ...(channel === 'webhook'
          ? { webhook: { secret: `whsec_${store.hex(secretDigits)}`, ...fields.webhook } }
          : {}),
        id,
      };
      const subscription: NotificationSubscription = checked('subscription', notificationSubscriptionSchema(), filled);
      const fail = failing('subscription');
      if (channel !== 'webhook' && channel !== 'email') fail('channel must be webhook or email.');
      if (channel === 'webhook') checkWebhook(fail, subscription.webhook ?? {});
      for (const type of subscription.eventTypes ?? []) {
        if (!(knownEventTypes as readonly string[]).includes(type))
          fail(`eventTypes must be of ${knownEventTypes.join(', ')}.`);
      }
      store.state.subscriptions.set(id, subscription);
      return structuredClone(subscription);
    },
  };
}

function person(number: number): { id: string; name: string } {
  return { id: `person_${String(number)}`, name: `Person ${String(number)}` };
}

function targetStatus(status: KnownPostStatus, target: PostTarget): TargetStatus {
  if (target.status !== undefined) return target.status;
  if (status === 'failed' || (status === 'partial' && target.errorMessage !== undefined)) return 'failed';
  if (status === 'published' || status === 'partial') return 'published';
  return status === 'publishing' ? 'publishing' : 'pending';
}
