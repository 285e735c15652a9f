import type { Platform } from './platforms.js';

/** An event type that the API document names (Events). */
export type KnownEventType = 'post.scheduled' | 'post.published' | 'post.partial' | 'post.failed';

/** An event type. Types that the API document doesn't name yet may come. */
export type EventType = KnownEventType | (string & {});

/** The event types that the API document names. */
export const knownEventTypes: readonly KnownEventType[] = [
  'post.scheduled',
  'post.published',
  'post.partial',
  'post.failed',
];

/** A file of an event's post (Events, Payload). Optional video fields may stand beside these; they are not documented. */
export interface EventMediaItem {
  /** `image` is a given value; other values are not documented. */
  type?: 'image' | (string & {}) | undefined;
  /** Where the file is. */
  url?: string | undefined;
  /** Where a thumbnail is. */
  thumbnail?: string | undefined;
  /** The file's name. */
  filename?: string | undefined;
  /** The file's size, an integer. Its unit is not documented. */
  size?: number | undefined;
  /** The file's MIME type. */
  mimeType?: string | undefined;
}

/** Where an event's post can be looked at (Events, Payload). */
export interface EventPostLinks {
  /** The post in the dashboard. */
  service?: string | undefined;
  /** The post in the API. */
  api?: string | undefined;
}

/** An event's post (Events, Payload). */
export interface EventPost {
  /** The post's ID: the `postId` that its create returned. */
  id: string;
  /** The overall status. */
  status?: string | undefined;
  /** The text. */
  content?: string | undefined;
  /** When it was to be published, an ISO 8601 date-time. `null`: it was not scheduled. */
  scheduledFor?: string | null | undefined;
  /** The earliest successful publication on a platform, an ISO 8601 date-time. `null`: none yet. */
  publishedAt?: string | null | undefined;
  /** The files of the post. */
  mediaItems?: EventMediaItem[] | undefined;
  /** Where the post can be looked at. */
  links?: EventPostLinks | undefined;
}

/** One target of an event's post (Events, Payload). */
export interface WebhookTarget {
  /** The platform. */
  platform?: Platform | undefined;
  /** The integration's ID. */
  integrationId?: string | undefined;
  /** The profile that the integration is assigned to. `null`: none. */
  profileId?: string | null | undefined;
  /** The target's status. Its values are not documented; `targetResults` reads the target without it. */
  status?: string | undefined;
  /** The post's ID on the platform. `null`: it is not published there. */
  platformPostId?: string | null | undefined;
  /** The post's address on the platform. `null`: it is not published there. */
  platformPostUrl?: string | null | undefined;
  /** When it was published there, an ISO 8601 date-time. `null`: it is not. */
  publishedAt?: string | null | undefined;
  /** Why it failed there. `null`: it did not. */
  errorMessage?: string | null | undefined;
  /** What went less than well there. `null`: nothing. */
  warningMessage?: string | null | undefined;
}

/** Another name of {@link WebhookTarget}. It shadows the DOM's `EventTarget`. */
export type EventTarget = WebhookTarget;

/** What an event tells (Events, Payload). */
export interface EventData {
  /** The post. */
  post: EventPost;
  /** One entry for each target; with a subscription's `profileId`, only targets connected to that profile. */
  platforms: WebhookTarget[];
}

/** What all documented events have (Events, Payload). */
export interface KnownEvent<Type extends KnownEventType> {
  /** `true`: an event of a documented type and shape. */
  readonly known: true;
  /** The payload's version. */
  version?: string | undefined;
  /** The event's ID, the same on every attempt to deliver it. Process each ID once. */
  id: string;
  /** What happened. */
  type: Type;
  /** When the event was made, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** The project that owns the post. */
  projectId?: string | undefined;
  /** The profile that the subscription selects. `null`: none. */
  profileId?: string | null | undefined;
  /** What it tells. */
  data: EventData;
}

/** A post was accepted and scheduled. */
export type PostScheduledEvent = KnownEvent<'post.scheduled'>;
/** Every target was published without warnings. */
export type PostPublishedEvent = KnownEvent<'post.published'>;
/** At least one target failed or returned a warning, and not every target failed. */
export type PostPartialEvent = KnownEvent<'post.partial'>;
/** Every target failed. */
export type PostFailedEvent = KnownEvent<'post.failed'>;

declare const undocumented: unique symbol;

/**
 * Any string but the four documented event types. TypeScript can't say that of a string: this stands for it, so that a
 * `switch` over `type` tells known events from unknown ones. It is a string like any other at run time; to compare it
 * with another type, use `payload.type`.
 */
export type UndocumentedEventType = 'undocumented' & {
  /** Never there: it keeps the type apart from those that are documented. */
  readonly [undocumented]: never;
};

/** A verified event of a type or a shape that the API document doesn't show. */
export interface UnknownWebhookEvent {
  /** `false`: read `payload`. */
  readonly known: false;
  /**
   * The payload's `type` where that is a string and none of the documented types. `'unknown'`: it has none, or it has a
   * documented type in an undocumented shape, see `payload.type`.
   */
  type: UndocumentedEventType;
  /** The payload's `id`, where it has one. */
  id?: string | undefined;
  /** The payload's `createdAt`, where it has one. */
  createdAt?: string | undefined;
  /** The whole payload. */
  payload: Record<string, unknown>;
}

/** An event of a documented type and shape. */
export type KnownWebhookEvent = PostScheduledEvent | PostPublishedEvent | PostPartialEvent | PostFailedEvent;

/**
 * A verified event. Switch over `type`, or test `known` first: an {@link UnknownWebhookEvent} has its payload in
 * `payload` instead of `data`, and its `type` is never one of the four documented types.
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;
