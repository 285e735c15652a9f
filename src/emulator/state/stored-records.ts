import type { InsightBreakdown, PostMetrics } from '../../resources/analytics.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Participant } from '../../resources/messages.js';
import type { MediaItem } from '../../posts/posts.js';
import type { KnownPostStatus } from '../../model/known-values.js';
import type { KnownEventType } from '../../model/events.js';
import type { Delivery, RequestRecord } from './traffic.js';

// The records of the emulator. They never change in place: a change replaces a record, so snapshots share unchanged
// records.

/** The document shows no values: these are the emulator's, and a seed may use others. */
export type TargetStatus = 'pending' | 'publishing' | 'published' | 'failed' | (string & {});

export interface StoredTarget {
  readonly platform: string;
  readonly accountId: string;
  readonly status: TargetStatus;
  /** The target's own text. Missing: the post's text. */
  readonly content?: string;
  readonly platformPostId?: string;
  readonly platformPostUrl?: string;
  readonly publishedAt?: string;
  readonly errorMessage?: string;
  readonly warningMessage?: string;
}

export interface StoredPost {
  readonly postId: string;
  /** Its position among all posts, by creation. */
  readonly order: number;
  readonly content: string | undefined;
  readonly status: KnownPostStatus;
  readonly scheduledFor: string | undefined;
  /** `scheduledFor` in milliseconds; `NaN` if there is none. */
  readonly scheduledMs: number;
  /** When publishing begins or ends, in milliseconds. `undefined`: nothing is planned. */
  readonly dueAt: number | undefined;
  /** The order of its job. Earlier versions did not store it. */
  readonly dueOrder?: number | undefined;
  readonly timezone: string;
  readonly mediaItems: MediaItem[];
  readonly crosspostingEnabled: boolean;
  readonly rawRequestBody: Record<string, unknown>;
  readonly createdAt: string;
  /** `createdAt` in milliseconds. */
  readonly createdMs: number;
  readonly updatedAt: string;
  readonly targets: readonly StoredTarget[];
  /** Whether it was accepted with a time; for `onlyScheduledPosts`. */
  readonly originallyScheduled: boolean;
  /** When lists begin to show it, in milliseconds. Missing: at once. */
  readonly listedAt?: number | undefined;
  /** The credits that its publication has cost so far. */
  readonly credits: number;
}

export interface StoredConversation {
  readonly id: string;
  readonly accountId: string;
  readonly participants: Participant[];
  readonly updatedTime: string;
}

/** Metrics of a post: of all platforms together, or of a single one. */
export interface StoredPostMetrics {
  /** With an account, the post's ID is the platform's ID. */
  readonly accountId: string | undefined;
  readonly platform: string | undefined;
  /** The time of the seed, for a post with no other data. */
  readonly at: string;
  readonly metrics: PostMetrics;
}

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
  readonly used: boolean;
}

/** A planned outcome of targets, from a test. */
export interface OutcomeRule {
  readonly platform: string | undefined;
  readonly accountId: string | undefined;
  /** Earlier versions did not store it. */
  readonly postId?: string | undefined;
  readonly error: string | undefined;
  readonly warning: string | undefined;
  /** The number of remaining targets. Missing: no limit. */
  readonly left?: number | undefined;
  /** Its end, in milliseconds of the clock. Missing: no end. */
  readonly until?: number | undefined;
  /** The number of targets that it has applied to. Earlier versions did not store it. */
  readonly struck?: number;
}

/** Something due at a time. It is data, not a function, so a snapshot can contain it. */
export type Job = { readonly at: number; readonly order: number } & JobTask;

export type JobTask =
  | { readonly kind: 'publish'; readonly postId: string }
  | { readonly kind: 'finish'; readonly postId: string }
  | { readonly kind: 'expire'; readonly accountId: string }
  | { readonly kind: 'answer'; readonly automationId: string; readonly logId: string }
  | { readonly kind: 'scenario'; readonly step: PlannedStep }
  | { readonly kind: 'deliver'; readonly event: StoredEvent; readonly attempt: number };

/** A step of a scenario, unchanged: the code that executes it knows its contents. */
export interface PlannedStep {
  readonly faults?: object | readonly object[] | undefined;
  readonly outcomes?: object | readonly object[] | undefined;
  readonly seed?: object | undefined;
}

/** An event on its way to one subscription. */
export interface StoredEvent {
  readonly id: string;
  readonly type: KnownEventType;
  readonly subscriptionId: string;
  readonly body: string;
  /** A fault has already held it back. */
  readonly delayed?: boolean;
}

/** An attempt that has begun and not ended. A restored state repeats it, because its result is unknown. */
export interface UnderWay {
  readonly event: StoredEvent;
  readonly attempt: number;
}

/** A delivery attempt with its position among the others. */
export interface StoredDelivery {
  /** The position of its sending. One sending may have two records. */
  readonly order: number;
  /** Its position among the records of one sending. */
  readonly number: number;
  readonly delivery: Delivery;
}

export interface StoredRequest {
  readonly order: number;
  readonly record: RequestRecord;
}

export interface ActiveFault<Fault> {
  readonly id: string;
  readonly fault: Fault;
  /** The number of times it has applied. */
  readonly struck: number;
}
