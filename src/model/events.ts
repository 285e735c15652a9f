import type { Platform } from './known-values.js';

/** An event type that the API document names (Events). */
export type KnownEventType = 'post.scheduled' | 'post.published' | 'post.partial' | 'post.failed';

/** An event type. Undocumented types are possible. */
export type EventType = KnownEventType | (string & {});

/** The event types that the API document names. */
export const knownEventTypes: readonly KnownEventType[] = [
  'post.scheduled',
  'post.published',
  'post.partial',
  'post.failed',
];

/** A file of an event's post (Events, Payload). Videos may have further, undocumented fields. */
export interface EventMediaItem {
  /** `image` is documented; other values are not. */
  type?: 'image' | (string & {}) | undefined;
  /** The file's URL. */
  url?: string | undefined;
  /** The thumbnail's URL. */
  thumbnail?: string | undefined;
  /** The file's name. */
  filename?: string | undefined;
  /** The file's size, an integer. Its unit is not documented. */
  size?: number | undefined;
  /** The file's MIME type. */
  mimeType?: string | undefined;
}

/** Links to an event's post (Events, Payload). */
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
  /** When it was planned to be published, an ISO 8601 date-time. `null`: it was not scheduled. */
  scheduledFor?: string | null | undefined;
  /** The earliest successful publication on a platform, an ISO 8601 date-time. `null`: none yet. */
  publishedAt?: string | null | undefined;
  /** The files of the post. */
  mediaItems?: EventMediaItem[] | undefined;
  /** Links to the post. */
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
  /** Why it failed there. `null`: it did not fail. */
  errorMessage?: string | null | undefined;
  /** The warning of the platform. `null`: none. */
  warningMessage?: string | null | undefined;
}

/** Another name of {@link WebhookTarget}. It shadows the DOM's `EventTarget`. */
export type EventTarget = WebhookTarget;

/** The data of an event (Events, Payload). */
export interface EventData {
  /** The post. */
  post: EventPost;
  /** One entry for each target; with a subscription's `profileId`, only targets connected to that profile. */
  platforms: WebhookTarget[];
}

/** The common fields of all documented events (Events, Payload). */
export interface KnownEvent<Type extends KnownEventType> {
  /** Always `true`: an event of a documented type and shape. */
  readonly known: true;
  /** The payload's version. */
  version?: string | undefined;
  /** The event's ID, the same on every attempt to deliver it. Process each ID once. */
  id: string;
  /** The event's type. */
  type: Type;
  /** When the event was created, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** The project that owns the post. */
  projectId?: string | undefined;
  /** The profile that the subscription selects. `null`: none. */
  profileId?: string | null | undefined;
  /** The event's post and targets. */
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
 * Any string except the four documented event types. TypeScript cannot express that. With this type, a `switch` over
 * `type` distinguishes known events from unknown ones. At run time it is an ordinary string. To compare it with another
 * type, use `payload.type`.
 */
export type UndocumentedEventType = 'undocumented' & {
  /** Never exists at run time: it distinguishes the type from the documented ones. */
  readonly [undocumented]: never;
};

/** A verified event with an undocumented type or shape. */
export interface UnknownWebhookEvent {
  /** Always `false`: read `payload`. */
  readonly known: false;
  /**
   * The payload's `type`, if it is an undocumented string. `'unknown'`: it is missing, or a documented type with an
   * undocumented shape, see `payload.type`.
   */
  type: UndocumentedEventType;
  /** The payload's `id`, if it has one. */
  id?: string | undefined;
  /** The payload's `createdAt`, if it has one. */
  createdAt?: string | undefined;
  /** The whole payload. */
  payload: Record<string, unknown>;
}

/** An event of a documented type and shape. */
export type KnownWebhookEvent = PostScheduledEvent | PostPublishedEvent | PostPartialEvent | PostFailedEvent;

/**
 * A verified event. Switch over `type`, or check `known` first. An {@link UnknownWebhookEvent} has `payload` instead of
 * `data`, and its `type` is never one of the four documented types.
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;
