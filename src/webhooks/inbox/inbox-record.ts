import { parseJson } from '../../core/json.js';
import type { WebhookEvent } from '../../model/events.js';
import { isFromClockAhead } from '../../model/instant.js';
import { isFinalStatus, type FinalPostStatus } from '../../model/known-values.js';
import { formatOf } from '../../stores/records.js';
import { sha256 } from '../verify/signatures.js';
import { parseEvent } from '../verify/events.js';

/** The fields that an inbox adds to an event. */
export interface InboxEventDetails {
  /** The event's ID. If the event has none: the SHA-256 of the delivery's body, in hexadecimal digits. */
  readonly id: string;
  /** `true`: `catchUp` created the event from a listed post. Missing: the service delivered the event. */
  readonly recovered?: true | undefined;
}

/** An event of an inbox. */
export type InboxEvent = WebhookEvent & InboxEventDetails;

/** An event as it is stored until it is handled. */
interface UnhandledEvent {
  readonly id: string;
  /** The body of the delivery as signed, or the body that `catchUp` created. */
  readonly body: string;
  readonly recovered?: true | undefined;
  /** The subscription that the event belongs to, see `scopesOf`. Missing: release 0.2.0 wrote it. */
  readonly scopes?: readonly string[] | undefined;
}

/** An event that was not handled yet. Every write replaces the whole record. */
export interface WaitingRecord extends UnhandledEvent {
  readonly state: 'waiting';
  /** The time of the next attempt, or the end of the owner's lease. No process may handle the event before. */
  readonly wakeAt: number;
  /**
   * When `wakeAt` was written. A process of 0.2.0 keeps it and changes `wakeAt`. Missing: at `wakeAt`, or release 0.2.0 wrote
   * the event.
   */
  readonly writtenAt?: number;
  /** The process that handles the event. Missing: none, or its handler failed. */
  readonly owner?: string;
  readonly failures: number;
  /** How many owners were lost: the process ended, or its lease expired, before it recorded a result. */
  readonly lost: number;
}

interface DoneRecord extends Pick<UnhandledEvent, 'scopes'> {
  readonly state: 'done';
  /** When the record is removed. */
  readonly wakeAt: number;
}

interface DeadRecord extends UnhandledEvent {
  readonly state: 'dead';
}

export type InboxRecord = WaitingRecord | DoneRecord | DeadRecord;

/** Records which event was the first with a final state of a post. The mark of a dead event has the same form. */
export type StateClaim = Omit<UnhandledEvent, 'body'>;

/** Prefixes of the keys of an inbox. A publisher and a receiver on the same store use other prefixes. */
export const keyPrefixes = { event: 'inbox/event/', state: 'inbox/state/', dead: 'inbox/dead/' } as const;

/** An ID as one segment of a key. An ID that a store could refuse, or that has a slash, becomes its SHA-256. */
export async function keySegment(id: string): Promise<string> {
  if (/^[\w.:@-]{1,200}$/.test(id)) return id;
  const hashOf = (text: string) => sha256(new TextEncoder().encode(text));
  // Encoded, every half of a surrogate pair is the same character. JSON escapes it.
  return /\p{Surrogate}/u.test(id) ? `~~${await hashOf(JSON.stringify(id))}` : `~${await hashOf(id)}`;
}

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

/** A final state, and its post. */
export interface FinalState {
  readonly postId: string;
  readonly status: FinalPostStatus;
}

/** Returns the final state in an event, and its post. `undefined`: the event is not final. */
export function finalStateOf(event: WebhookEvent): FinalState | undefined {
  if (!event.known) return undefined;
  const status = event.type.slice('post.'.length);
  return isFinalStatus(status) ? { postId: event.data.post.id, status } : undefined;
}

export function waiting(
  id: string,
  body: string,
  now: number,
  also: Pick<WaitingRecord, 'recovered' | 'scopes'> = {},
): WaitingRecord {
  return { state: 'waiting', id, body, wakeAt: now, failures: 0, lost: 0, ...also };
}

/** Returns the record with a new owner. A previous owner that recorded no result counts as lost. */
export function leased(record: WaitingRecord, owner: string, now: number, waitMs: number): WaitingRecord {
  const lost = record.lost + (record.owner === undefined ? 0 : 1);
  return { ...record, owner, wakeAt: now + waitMs, writtenAt: now, lost };
}

/** Returns the record after a failed attempt. */
export function failed(record: WaitingRecord, now: number, waitMs: number): WaitingRecord {
  return { ...postponed(record, now, waitMs), failures: record.failures + 1 };
}

/** Returns the record without an owner, due later. */
export function postponed({ owner: _, ...record }: WaitingRecord, now: number, waitMs: number): WaitingRecord {
  return { ...record, wakeAt: now + waitMs, writtenAt: now };
}

export function done(forgetAt: number, scopes?: readonly string[]): DoneRecord {
  return { state: 'done', wakeAt: forgetAt, scopes };
}

export function dead({ id, body, recovered, scopes }: WaitingRecord): DeadRecord {
  return { state: 'dead', id, body, recovered, scopes };
}

/** Returns a dead event as a new one, with all attempts left. */
export function revived({ state: _, id, body, ...also }: DeadRecord, now: number): WaitingRecord {
  return waiting(id, body, now, also);
}

export const maxLeaseMs = 6 * 3_600_000;

/** The longest wait after a failure that a record of release 0.2.0 may have. */
const longestBackoffMs = 24 * 3_600_000;

/** Whether a clock that was ahead wrote the time of the next attempt, or the end of the lease: the event is due. */
export function isStranded({ wakeAt, writtenAt, owner, failures }: WaitingRecord, now: number): boolean {
  const unknownMs = owner === undefined ? (failures === 0 ? 0 : longestBackoffMs) : maxLeaseMs;
  return isFromClockAhead(writtenAt ?? wakeAt - unknownMs, now);
}

/** Returns an event that a clock that was ahead postponed, due now. A lost owner stays in it. `undefined` for others. */
export function woken(record: InboxRecord, now: number): WaitingRecord | undefined {
  return record.state === 'waiting' && isStranded(record, now) ? { ...record, wakeAt: now, writtenAt: now } : undefined;
}

/** Whether a process may handle the event. */
export function isDue(record: WaitingRecord, now: number): boolean {
  return record.wakeAt <= now || isStranded(record, now);
}

/**
 * Added to the wake time of a handled event in the store. In the order of wake times, handled events then follow all
 * others: no search for events to handle reads them. Release 0.2.0 did not add it.
 */
export const handledFrom = 1e14;

/** The wake time in the store. */
export function wakeAtOf(record: InboxRecord): number | null {
  if (record.state === 'dead') return null;
  return record.state === 'done' ? handledFrom + record.wakeAt : Math.min(record.wakeAt, handledFrom - 1);
}

export function eventOf({ id, body, recovered }: WaitingRecord | DeadRecord): InboxEvent {
  // Only objects are written.
  const event = parseEvent(parseJson(body) as Record<string, unknown>);
  return Object.assign(event, { id }, recovered === true ? { recovered } : {});
}

/** The version that release 0.2.0 reads. */
const latestVersion = 1;

export const eventFormat = formatOf<InboxRecord>('v', latestVersion);
export const claimFormat = formatOf<StateClaim>('v', latestVersion);
