import { isFields, parseJson, type Fields } from '../../core/json.js';
import {
  knownEventTypes,
  type EventMediaItem,
  type EventPost,
  type EventPostLinks,
  type KnownEvent,
  type KnownEventType,
  type KnownWebhookEvent,
  type UndocumentedEventType,
  type WebhookEvent,
  type WebhookTarget,
} from '../../model/events.js';
import { epochOf, instantOf } from '../../model/instant.js';
import { finalPostStatuses } from '../../model/known-values.js';
import type { DateTimeInput } from '../../schema/fields.js';

// Parses events without zod: zod would be two thirds of a bundle that only verifies webhooks, and most of its start-up
// time. The compiler checks the parser against the event types, and a test checks it against the schema.

/**
 * Returns whether a value has the documented form `T`, and collects fields to remove. A `null` that the API document
 * does not show counts as missing.
 */
type Check<T> = ((value: unknown, drops: Drop[]) => boolean) & { readonly is?: T };

interface Drop {
  readonly from: object;
  readonly key: string;
}

/** Returns the text of a body, and its JSON. `undefined`: the body is not a JSON object in UTF-8. */
export function readPayload(body: Uint8Array): { readonly text: string; readonly payload: Fields } | undefined {
  try {
    // A byte-order mark is signed, but is not JSON: the decoder drops it.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const payload = parseJson(text);
    return isFields(payload) ? { text, payload } : undefined;
  } catch {
    return undefined; // The message of the parser would quote the body.
  }
}

/** Converts a verified payload to an event. A documented event is the payload itself, not a copy. */
export function parseEvent(payload: Record<string, unknown>): WebhookEvent {
  const drops: Drop[] = [];
  if ((knownEvent ??= buildKnownEvent())(payload, drops)) {
    // Only now: the payload of an unknown event must not change.
    for (const { from, key } of drops) Reflect.deleteProperty(from, key);
    payload.known = true;
    return payload as unknown as KnownWebhookEvent;
  }
  const { id, type, createdAt } = payload;
  return {
    known: false,
    // An unknown event must not have a documented type: a switch over the type would treat it as known.
    type: (typeof type === 'string' && !knownType(type, drops) ? type : 'unknown') as UndocumentedEventType,
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
    payload,
  };
}

type Payload = Omit<KnownEvent<KnownEventType>, 'known'>;

// Built on first use, so that importing the package stays cheap.
let knownEvent: Check<Payload> | undefined;

function buildKnownEvent(): Check<Payload> {
  const text = optional(string);
  const textOrNull = nullable(string);
  const mediaItem = object<EventMediaItem>({
    type: text,
    url: text,
    thumbnail: text,
    filename: text,
    size: optional(number),
    mimeType: text,
  });
  const post = object<EventPost>({
    id: string,
    status: text,
    content: text,
    scheduledFor: textOrNull,
    publishedAt: textOrNull,
    mediaItems: optional(array(mediaItem)),
    links: optional(object<EventPostLinks>({ service: text, api: text })),
  });
  const target = object<WebhookTarget>({
    platform: text,
    integrationId: text,
    profileId: textOrNull,
    status: text,
    platformPostId: textOrNull,
    platformPostUrl: textOrNull,
    publishedAt: textOrNull,
    errorMessage: textOrNull,
    warningMessage: textOrNull,
  });
  return object<Payload>({
    version: text,
    id: string,
    type: knownType,
    createdAt: text,
    projectId: text,
    profileId: textOrNull,
    data: object({ post, platforms: array(target) }),
  });
}

const string: Check<string> = (value) => typeof value === 'string';
const number: Check<number> = (value) => Number.isFinite(value);
// The types of `includes` accept only its items.
const knownType: Check<KnownEventType> = (value) => knownEventTypes.includes(value as KnownEventType);

/** Accepts a missing field. */
function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, drops) => value === undefined || check(value, drops);
}

/** Accepts a missing field, and `null`, which the API document shows for it. */
function nullable<T>(check: Check<T>): Check<T | null | undefined> {
  return (value, drops) => value === undefined || value === null || check(value, drops);
}

function array<T>(check: Check<T>): Check<T[]> {
  return (value, drops) => Array.isArray(value) && value.every((item) => check(item, drops));
}

/** Accepts an object. Undocumented fields stay in it. */
function object<T extends object>(fields: { readonly [Key in keyof T]-?: Check<T[Key]> }): Check<T> {
  const entries = Object.entries<Check<unknown>>(fields);
  return (value, drops) => {
    if (!isFields(value)) return false;
    for (const [key, check] of entries) {
      const field = value[key];
      if (check(field, drops)) continue;
      // A field that may be missing may be null.
      if (field !== null || !check(undefined, drops)) return false;
      drops.push({ from: value, key });
    }
    return true;
  };
}

/** The fields of an event that {@link isStale} compares. A stored event may have a `Date` as `createdAt`. */
export interface EventMoment {
  /** The event's type. */
  readonly type: string;
  /** When the event was created: an ISO 8601 date-time, a `Date` or an instant. Missing or `null`: unknown. */
  readonly createdAt?: DateTimeInput | null | undefined;
}

const finalTypes: readonly string[] = finalPostStatuses.map((status): KnownEventType => `post.${status}`);

/**
 * Returns whether an event of a post is older than the event that you already have. The service retries deliveries, so
 * an older event can arrive after a newer one. If you store the state of a post, call it before each update, with two
 * events of the same post.
 *
 * An event is stale if it was created earlier, or if it is `post.scheduled` after a final event. A final event after
 * `post.scheduled` is never stale, because the service sends exactly one final event, when publishing ends. An event
 * with the same time as the previous one is not stale, unless it is `post.scheduled` after a final event.
 *
 * @example
 * ```ts
 * if (!isStale(known.get(event.data.post.id), event)) known.set(event.data.post.id, event);
 * ```
 *
 * API document: Events, rule 1.
 *
 * @param previous the last event that you accepted, or only its `type` and `createdAt`; `undefined` or `null`: none
 */
export function isStale(previous: EventMoment | null | undefined, next: EventMoment): boolean {
  if (previous === undefined || previous === null) return false;
  if (finalTypes.includes(previous.type) && next.type === 'post.scheduled') return true;
  // Even if its time is earlier: the final event must not be lost.
  if (previous.type === 'post.scheduled' && finalTypes.includes(next.type)) return false;
  // A missing or unreadable time is NaN, and comparisons with NaN are false: the event is not stale.
  return timeOf(next) < timeOf(previous);
}

/** Returns milliseconds since 1970, or NaN. */
function timeOf({ createdAt }: EventMoment): number {
  return (typeof createdAt === 'string' ? instantOf(createdAt) : epochOf(createdAt)) ?? Number.NaN;
}
