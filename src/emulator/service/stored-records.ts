import type { InsightBreakdown, PostMetrics } from '../../resources/analytics.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Participant } from '../../resources/messages.js';
import type { KnownPostStatus, MediaItem } from '../../resources/posts.js';
import type { KnownEventType } from '../../model/events.js';
import type { Delivery, RequestRecord } from './traffic.js';

// What the emulator keeps. Nothing of it is changed in place: a change puts another record there, so that snapshots share what
// did not change.

/** The document shows no values: these are the emulator's own, and a seed may have others. */
export type TargetStatus = 'pending' | 'publishing' | 'published' | 'failed' | (string & {});

export interface StoredTarget {
  readonly platform: string;
  readonly accountId: string;
  readonly status: TargetStatus;
  /** Its own text. Missing: the post's. */
  readonly content?: string;
  readonly platformPostId?: string;
  readonly platformPostUrl?: string;
  readonly publishedAt?: string;
  readonly errorMessage?: string;
  readonly warningMessage?: string;
}

export interface StoredPost {
  readonly postId: string;
  /** Its place among all posts, by creation. */
  readonly order: number;
  readonly content: string | undefined;
  readonly status: KnownPostStatus;
  readonly scheduledFor: string | undefined;
  /** `scheduledFor` in milliseconds; `NaN` where there is none. */
  readonly scheduledMs: number;
  /** When publishing begins or ends, in milliseconds. Where it is not set, nothing will happen by itself. */
  readonly dueAt: number | undefined;
  /** The order of the job that does it. Earlier versions did not keep it. */
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
  /** It was accepted with a time; `onlyScheduledPosts` asks for that. */
  readonly originallyScheduled: boolean;
  /** From when on lists show it, in milliseconds. Missing: at once. */
  readonly listedAt?: number | undefined;
  /** What its publication has cost so far. */
  readonly credits: number;
}

export interface StoredConversation {
  readonly id: string;
  readonly accountId: string;
  readonly participants: Participant[];
  readonly updatedTime: string;
}

/** Metrics of a post: of all platforms together, or of one of them. */
export interface StoredPostMetrics {
  /** With an account, the post's ID is the platform's own. */
  readonly accountId: string | undefined;
  readonly platform: string | undefined;
  /** When it was seeded, for a post of which nothing else is known. */
  readonly at: string;
  readonly metrics: PostMetrics;
}

/** Metrics of an account on one day. */
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

/** What a test said about a target's publication. */
export interface OutcomeRule {
  readonly platform: string | undefined;
  readonly accountId: string | undefined;
  readonly error: string | undefined;
  readonly warning: string | undefined;
  /** How many more targets it is for. */
  readonly left: number;
  /** When it ends, in milliseconds of the clock. */
  readonly until: number;
}

/** Something that is due at a time. Data, not a function, so that a snapshot can hold it. */
export type Job = { readonly at: number; readonly order: number } & JobTask;

export type JobTask =
  | { readonly kind: 'publish'; readonly postId: string }
  | { readonly kind: 'finish'; readonly postId: string }
  | { readonly kind: 'expire'; readonly accountId: string }
  | { readonly kind: 'answer'; readonly automationId: string; readonly logId: string }
  | { readonly kind: 'scenario'; readonly step: PlannedStep }
  | { readonly kind: 'deliver'; readonly event: StoredEvent; readonly attempt: number };

/** What a scenario does at a time, as it was given: whoever carries it out knows what is in it. */
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
  /** A fault has held it back before. */
  readonly delayed?: boolean;
}

/** An attempt that has begun and not ended. A state that is put in place makes it again: nobody knows what became of it. */
export interface UnderWay {
  readonly event: StoredEvent;
  readonly attempt: number;
}

/** An attempt at a delivery, with its place among the others. */
export interface StoredDelivery {
  /** The place of its sending. One sending may have two records. */
  readonly order: number;
  /** Its place among the records of one sending. */
  readonly number: number;
  readonly delivery: Delivery;
}

/** A request, with its place among the others. */
export interface StoredRequest {
  readonly order: number;
  readonly record: RequestRecord;
}

export interface ActiveFault<Fault> {
  readonly id: string;
  readonly fault: Fault;
  /** How many times it has hit. */
  readonly struck: number;
}
