import type { Automation, AutomationLog, EligiblePost } from '../../resources/automations.js';
import type { OAuthApp } from '../../resources/apps.js';
import type { Comment } from '../../resources/comments.js';
import type { InsightBreakdown, PostMetrics } from '../../resources/analytics.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Message, Participant } from '../../resources/messages.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import type { KnownPostStatus, MediaItem } from '../../resources/posts.js';
import type { KnownEventType } from '../../model/events.js';
import { randomHex } from './random.js';
import type { Delivery, DeliveryFault, RequestFault, RequestRecord } from './records.js';

/** The document shows no values: these are the emulator's own, and a seed may have others. */
export type TargetStatus = 'pending' | 'publishing' | 'published' | 'failed' | (string & {});

export interface StoredTarget {
  readonly platform: string;
  readonly accountId: string;
  status: TargetStatus;
  platformPostId?: string;
  platformPostUrl?: string;
  publishedAt?: string;
  errorMessage?: string;
  warningMessage?: string;
}

export interface StoredPost {
  readonly postId: string;
  content: string | undefined;
  status: KnownPostStatus;
  scheduledFor: string | undefined;
  /** When publishing begins, in milliseconds. Where it is not set, nothing will happen by itself. */
  dueAt: number | undefined;
  timezone: string;
  mediaItems: MediaItem[];
  crosspostingEnabled: boolean;
  readonly rawRequestBody: Record<string, unknown>;
  readonly createdAt: string;
  updatedAt: string;
  targets: StoredTarget[];
  /** It was accepted with a time; `onlyScheduledPosts` asks for that. */
  readonly originallyScheduled: boolean;
  /** From when on lists show it, in milliseconds. Missing: at once. */
  readonly listedAt?: number | undefined;
  /** What its publication has cost so far. */
  credits: number;
}

export interface StoredComment {
  readonly accountId: string;
  readonly postId: string;
  readonly comment: Comment;
}

export interface StoredConversation {
  readonly id: string;
  readonly accountId: string;
  readonly participants: Participant[];
  updatedTime: string;
}

export interface StoredMessage {
  readonly accountId: string;
  readonly conversationId: string;
  readonly message: Message & { readonly timestamp: string };
}

export interface StoredAutomation {
  readonly automation: Automation;
}

export interface StoredLog {
  readonly automationId: string;
  readonly log: AutomationLog;
}

export interface StoredEligiblePost {
  readonly accountId: string;
  readonly post: EligiblePost;
}

/** Figures of a post: of all platforms together, or of one of them. */
export interface StoredPostMetrics {
  /** With an account, the post's ID is the platform's own. */
  readonly accountId: string | undefined;
  readonly platform: string | undefined;
  /** When it was seeded, for a post of which nothing else is known. */
  readonly at: string;
  readonly metrics: PostMetrics;
}

/** Figures of an account on one day. */
export interface StoredAccountMetrics {
  readonly accountId: string;
  readonly date: string;
  readonly metrics: Readonly<Record<string, number | undefined>>;
  readonly breakdowns: Readonly<Record<string, InsightBreakdown[]>>;
}

export interface StoredSelection {
  readonly platform: 'facebook' | 'instagram';
  readonly accounts: readonly (Partial<IntegrationDetail> & { readonly id: string })[];
  readonly redirectUri: string;
  used: boolean;
}

/** What a test said about a target's publication. */
export interface OutcomeRule {
  readonly platform: string | undefined;
  readonly accountId: string | undefined;
  readonly error: string | undefined;
  readonly warning: string | undefined;
  times: number;
}

/** Something that is due at a time. Data, not a function, so that a snapshot can hold it. */
export type Job = { readonly at: number; readonly order: number } & JobTask;

export type JobTask =
  | { readonly kind: 'publish'; readonly postId: string }
  | { readonly kind: 'finish'; readonly postId: string }
  | { readonly kind: 'deliver'; readonly event: StoredEvent; readonly attempt: number };

/** An event on its way to one subscription. */
export interface StoredEvent {
  readonly id: string;
  readonly type: KnownEventType;
  readonly subscriptionId: string;
  readonly body: string;
  /** A fault has held it back before. */
  readonly delayed?: boolean;
}

/** An attempt at a delivery, with its place among the others. */
export interface StoredDelivery {
  readonly order: number;
  readonly delivery: Delivery;
}

export interface ActiveFault<Fault> {
  readonly id: number;
  readonly fault: Fault;
  left: number;
}

/** All that an emulator knows. Everything in it can be cloned. */
export interface State {
  time: number;
  random: number;
  counters: Record<string, number>;
  creditsUsed: number;
  publishingMs: number;
  readonly integrations: Map<string, IntegrationDetail>;
  readonly apps: OAuthApp[];
  readonly posts: Map<string, StoredPost>;
  readonly comments: StoredComment[];
  readonly conversations: Map<string, StoredConversation>;
  readonly messages: StoredMessage[];
  readonly automations: Map<string, StoredAutomation>;
  readonly logs: StoredLog[];
  readonly eligiblePosts: StoredEligiblePost[];
  /** By the post's ID. */
  readonly postMetrics: Map<string, StoredPostMetrics[]>;
  readonly accountMetrics: StoredAccountMetrics[];
  readonly selections: Map<string, StoredSelection>;
  readonly subscriptions: Map<string, NotificationSubscription>;
  readonly outcomes: OutcomeRule[];
  readonly jobs: Job[];
  /** Events that a fault holds back until the next one has been delivered, by subscription. */
  readonly held: Map<string, StoredEvent[]>;
  readonly requests: RequestRecord[];
  /** In the order of their jobs, whenever their receivers answer. */
  readonly deliveries: StoredDelivery[];
  readonly faults: ActiveFault<RequestFault>[];
  readonly deliveryFaults: ActiveFault<DeliveryFault>[];
}

function emptyState(time: number, seed: number): State {
  return {
    time,
    random: seed | 0,
    counters: {},
    creditsUsed: 0,
    publishingMs: 0,
    integrations: new Map(),
    apps: [],
    posts: new Map(),
    comments: [],
    conversations: new Map(),
    messages: [],
    automations: new Map(),
    logs: [],
    eligiblePosts: [],
    postMetrics: new Map(),
    accountMetrics: [],
    selections: new Map(),
    subscriptions: new Map(),
    outcomes: [],
    jobs: [],
    held: new Map(),
    requests: [],
    deliveries: [],
    faults: [],
    deliveryFaults: [],
  };
}

/** Holds the state, so that `restore` can put another in its place. */
export class Store {
  state: State;

  constructor(time: number, seed: number) {
    this.state = emptyState(time, seed);
  }

  /** The next number of a kind, from 1. */
  count(kind: string): number {
    const next = (this.state.counters[kind] ?? 0) + 1;
    this.state.counters[kind] = next;
    return next;
  }

  /** A new ID such as `post_7`: the same in every run. */
  id(kind: string): string {
    return `${kind}_${String(this.count(kind))}`;
  }

  hex(digits: number): string {
    return randomHex(this.state, digits);
  }

  /** Puts a job where it belongs: by time, and by age where times are equal. */
  schedule(at: number, task: JobTask, state: State = this.state): void {
    const order = (state.counters['job'] ?? 0) + 1;
    state.counters['job'] = order;
    const { jobs } = state;
    let low = 0;
    let high = jobs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = jobs[middle];
      if (other !== undefined && other.at <= at) low = middle + 1;
      else high = middle;
    }
    jobs.splice(low, 0, { at, order, ...task });
  }
}
