import { parseJson } from '../core/json.js';
import type { WebhookEvent } from '../model/events.js';
import { isFinalStatus, type FinalPostStatus } from '../model/post-status.js';
import { parseEvent } from './parse-event.js';
import { keySegment, parseStored } from './stored-text.js';

/** The fields that an inbox adds to an event. */
export interface InboxEventDetails {
  /** The event's ID. If the event has none: the SHA-256 of the delivery's body, in hexadecimal digits. */
  readonly id: string;
  /** `true`: `catchUp` created the event from a listed post. Missing: the service delivered the event. */
  readonly recovered?: true | undefined;
}

/** An event of an inbox. */
export type InboxEvent = WebhookEvent & InboxEventDetails;

/** An event that was not handled yet. Every write replaces the whole record. */
export interface WaitingRecord {
  readonly v: 1;
  readonly state: 'waiting';
  readonly id: string;
  /** The body of the delivery as signed, or the body that `catchUp` created. */
  readonly body: string;
  readonly recovered?: true;
  /** The time of the next attempt, or the end of the owner's lease. No process may handle the event before. */
  readonly wakeAt: number;
  /** The process that handles the event. Missing: none, or its handler failed. */
  readonly owner?: string;
  readonly failures: number;
  /** How many owners were lost: the process ended, or its lease expired, before it recorded a result. */
  readonly lost: number;
}

export interface DoneRecord {
  readonly v: 1;
  readonly state: 'done';
  /** When the record is removed. */
  readonly wakeAt: number;
}

export interface DeadRecord {
  readonly v: 1;
  readonly state: 'dead';
  readonly id: string;
  readonly body: string;
  readonly recovered?: true;
}

export type InboxRecord = WaitingRecord | DoneRecord | DeadRecord;

/** Records which event was the first with a final state of a post. The mark of a dead event has the same form. */
export interface StateClaim {
  readonly v: 1;
  /** The ID of the event. */
  readonly id: string;
  readonly recovered?: true;
}

/** Prefixes of the keys of an inbox. A publisher and a receiver on the same store use other prefixes. */
export const keyPrefixes = { event: 'inbox/event/', state: 'inbox/state/', dead: 'inbox/dead/' } as const;

export async function eventKey(id: string): Promise<string> {
  return keyPrefixes.event + (await keySegment(id));
}

/** The key of the mark by which `dead()` finds an event. */
export async function deadKey(id: string): Promise<string> {
  return keyPrefixes.dead + (await keySegment(id));
}

/** The key of the claim of a post's final state. */
export async function stateKey(postId: string, status: string): Promise<string> {
  return `${keyPrefixes.state}${await keySegment(postId)}/${status}`;
}

/** Returns the final state in an event, and its post. `undefined`: the event is not final. */
export function finalStateOf(event: WebhookEvent): { postId: string; status: FinalPostStatus } | undefined {
  if (!event.known) return undefined;
  const status = event.type.slice('post.'.length);
  return isFinalStatus(status) ? { postId: event.data.post.id, status } : undefined;
}

export function waiting(
  id: string,
  body: string,
  now: number,
  { recovered }: { readonly recovered?: true | undefined } = {},
): WaitingRecord {
  return {
    v: 1,
    state: 'waiting',
    id,
    body,
    wakeAt: now,
    failures: 0,
    lost: 0,
    ...(recovered === true ? { recovered } : {}),
  };
}

/** Returns the record with a new owner. A previous owner that recorded no result counts as lost. */
export function leased(record: WaitingRecord, owner: string, until: number): WaitingRecord {
  return { ...record, owner, wakeAt: until, lost: record.lost + (record.owner === undefined ? 0 : 1) };
}

/** Returns the record after a failed attempt. */
export function failed({ owner: _, ...record }: WaitingRecord, wakeAt: number): WaitingRecord {
  return { ...record, wakeAt, failures: record.failures + 1 };
}

export function done(forgetAt: number): DoneRecord {
  return { v: 1, state: 'done', wakeAt: forgetAt };
}

export function dead({ id, body, recovered }: WaitingRecord): DeadRecord {
  return { v: 1, state: 'dead', id, body, ...(recovered === true ? { recovered } : {}) };
}

/** Returns a dead event as a new one, with all attempts left. */
export function revived({ id, body, recovered }: DeadRecord, now: number): WaitingRecord {
  return waiting(id, body, now, { recovered });
}

export function wakeAtOf(record: InboxRecord): number | null {
  return record.state === 'dead' ? null : record.wakeAt;
}

export function eventOf({ id, body, recovered }: WaitingRecord | DeadRecord): InboxEvent {
  // Only objects are written.
  const event = parseEvent(parseJson(body) as Record<string, unknown>);
  return Object.assign(event, { id }, recovered === true ? { recovered } : {});
}

/**
 * Parses the record of an event.
 * @throws ConfigurationError another version of the package or another program wrote the data
 */
export function parseRecord(key: string, data: string): InboxRecord {
  return parseStored(key, data) as InboxRecord;
}

/**
 * Parses the claim of a final state, or the mark of a dead event.
 * @throws ConfigurationError another version of the package or another program wrote the data
 */
export function parseClaim(key: string, data: string): StateClaim {
  return parseStored(key, data) as StateClaim;
}
