import { ConfigurationError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import type { WebhookEvent } from '../model/events.js';
import { isFinalStatus, type FinalPostStatus } from '../model/post-status.js';
import { sha256 } from './hmac.js';
import { readEvent } from './parse-event.js';

/** What an event out of an inbox has beside what it told. */
export interface InboxEventDetails {
  /** The event's ID. Where the service gave none: the SHA-256 of the delivery's body, in hexadecimal digits. */
  readonly id: string;
  /** `true`: nothing was delivered; `catchUp` found the post's state in the list. Missing: it was delivered. */
  readonly recovered?: true | undefined;
}

/** An event as an inbox hands it out. */
export type InboxEvent = WebhookEvent & InboxEventDetails;

/** An event that is still to be handled. Each state is written whole, so that a record is never half old and half new. */
export interface WaitingRecord {
  readonly v: 1;
  readonly state: 'waiting';
  readonly id: string;
  /** The delivery's body as it was signed, or what `catchUp` made in its place. */
  readonly body: string;
  readonly recovered?: true;
  /** Before this time nobody may take it: it waits for its next attempt, or its owner's lease holds. */
  readonly wakeAt: number;
  /** Who handles it. Missing: nobody, or its handler has failed. */
  readonly owner?: string;
  /** How often its handler has failed. */
  readonly failures: number;
  /** How often an owner was lost: its process ended, or its lease, before it told what became of the event. */
  readonly lost: number;
}

/** An event whose handler is done. */
export interface DoneRecord {
  readonly v: 1;
  readonly state: 'done';
  /** When it is forgotten. */
  readonly wakeAt: number;
}

/** An event that waits for a person. */
export interface DeadRecord {
  readonly v: 1;
  readonly state: 'dead';
  readonly id: string;
  readonly body: string;
  readonly recovered?: true;
}

/** What an inbox keeps of an event. */
export type InboxRecord = WaitingRecord | DoneRecord | DeadRecord;

/** Which event was the first to tell the final state of a post. A dead event is noted in the same form. */
export interface StateClaim {
  readonly v: 1;
  /** The ID of the event. */
  readonly id: string;
  readonly recovered?: true;
}

/** What the keys of an inbox start with. A publisher on the same store has other keys beside them. */
export const keyPrefixes = { event: 'inbox/event/', state: 'inbox/state/', dead: 'inbox/dead/' } as const;

/** The key of an event. */
export async function eventKey(id: string): Promise<string> {
  return keyPrefixes.event + (await segment(id));
}

/** The key under which dead events are found. */
export async function deadKey(id: string): Promise<string> {
  return keyPrefixes.dead + (await segment(id));
}

/** The key that a final state of a post is claimed by. */
export async function stateKey(postId: string, status: string): Promise<string> {
  return `${keyPrefixes.state}${await segment(postId)}/${status}`;
}

/** An ID as a part of a key. IDs that a store could refuse, or that would end the part, stand as their SHA-256. */
async function segment(id: string): Promise<string> {
  return /^[\w.:@-]{1,200}$/.test(id) ? id : `~${await sha256(new TextEncoder().encode(id))}`;
}

/** The post whose final state an event tells, and the state. `undefined`: the event is no final one. */
export function finalStateOf(event: WebhookEvent): { postId: string; status: FinalPostStatus } | undefined {
  if (!event.known) return undefined;
  const status = event.type.slice('post.'.length);
  return isFinalStatus(status) ? { postId: event.data.post.id, status } : undefined;
}

export function waiting(id: string, body: string, now: number, recovered = false): WaitingRecord {
  return {
    v: 1,
    state: 'waiting',
    id,
    body,
    wakeAt: now,
    failures: 0,
    lost: 0,
    ...(recovered ? { recovered: true as const } : {}),
  };
}

/** The record while it is handled. An owner that never told what became of it counts as lost. */
export function leased(record: WaitingRecord, owner: string, until: number): WaitingRecord {
  return { ...record, owner, wakeAt: until, lost: record.lost + (record.owner === undefined ? 0 : 1) };
}

/** The record after its handler has failed. */
export function failed({ owner: _, ...record }: WaitingRecord, wakeAt: number): WaitingRecord {
  return { ...record, wakeAt, failures: record.failures + 1 };
}

export function done(forgetAt: number): DoneRecord {
  return { v: 1, state: 'done', wakeAt: forgetAt };
}

export function dead({ id, body, recovered }: WaitingRecord): DeadRecord {
  return { v: 1, state: 'dead', id, body, ...(recovered === true ? { recovered } : {}) };
}

/** A dead event as a new one: all its attempts are before it again. */
export function revived({ id, body, recovered }: DeadRecord, now: number): WaitingRecord {
  return waiting(id, body, now, recovered === true);
}

/** When a store is to name the key of a record. */
export function wakeAtOf(record: InboxRecord): number | null {
  return record.state === 'dead' ? null : record.wakeAt;
}

/** The event that a record holds. */
export function eventOf({ id, body, recovered }: WaitingRecord | DeadRecord): InboxEvent {
  // It was an object when it was written.
  const event = readEvent(parseJson(body) as Record<string, unknown>);
  return Object.assign(event, { id }, recovered === true ? { recovered } : {});
}

/**
 * Reads the record of an event.
 * @throws ConfigurationError another version of the package wrote it, or something else
 */
export function parseRecord(key: string, data: string): InboxRecord {
  return parse(key, data) as InboxRecord;
}

/**
 * Reads who has claimed a final state of a post, or which event is dead.
 * @throws ConfigurationError another version of the package wrote it, or something else
 */
export function parseClaim(key: string, data: string): StateClaim {
  return parse(key, data) as StateClaim;
}

// Only this package writes under these keys, and the version says that the shape is known: hence the casts.
function parse(key: string, data: string): object {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // The parser's message would quote the data.
  }
  if (typeof value === 'object' && value !== null && (value as { v?: unknown }).v === 1) return value;
  throw new ConfigurationError(
    `The store holds something under ${key} that this version of the package can't read. A newer version may have ` +
      'written it. It was left as it is: update the package here, or give each version a store of its own.',
  );
}
