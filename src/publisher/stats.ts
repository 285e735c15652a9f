/** Counts the open intents of a publisher, and finds late ones. */
import { instantOf } from '../model/instant.js';
import { requestOf } from '../posts/read-create.js';
import { isDone } from './intents/intent.js';
import type { IntentRecord } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { ForeignItems, isOpenState, readOpenOfAll, type OpenState } from './open-intents.js';

const toleratedMs = 15 * 60_000;

/** The number of open intents in each state. An accepted draft is done, so it does not count. */
export type OpenCounts = Readonly<Record<OpenState, number>>;

/** The open intents of a publisher, as {@link Publisher.stats} counts them. */
export interface IntentStats {
  /** How many are in each state. */
  readonly byState: OpenCounts;
  /**
   * How many are still open 15 minutes after their time. The time is `scheduledFor`, in UTC if it has no offset. For a post
   * without it, the time is the last send, or the creation of the intent while it is `ready`.
   */
  readonly overdue: number;
  /** `createdAt` of the oldest intent in a state, an ISO 8601 date-time. Missing: no intent is in this state. */
  readonly oldest: {
    /** Of the intents that are `ready`. */
    readonly ready?: string | undefined;
    /** Of the intents that are `in_doubt`. */
    readonly in_doubt?: string | undefined;
  };
  /** The number of open intents of other services in the scope. They count nowhere else, and no call changes them. */
  readonly otherServices: number;
  /** The number of open items that a newer version wrote. They count nowhere else. Missing: none. */
  readonly unreadable?: number | undefined;
}

/** Whether an intent is open 15 minutes after its time. */
export function isOverdue(record: IntentRecord, at: number): boolean {
  if (!isOpenState(record.state) || isDone(record)) return false;
  const { state, post, slots, sent, createdAt } = record;
  // A user can have moved the post.
  const requested = requestOf(record)['scheduledFor'] as string | undefined; // The schema of a create accepted it.
  const scheduledAt = instantOf(post?.scheduledFor) ?? slots?.at(-1) ?? instantOf(requested);
  // Each attempt of a ready intent provably did nothing.
  const sentAt = state === 'ready' ? createdAt : (sent?.at ?? createdAt);
  return at >= (scheduledAt ?? sentAt) + toleratedMs;
}

export async function readStats(worker: IntentWorker): Promise<IntentStats> {
  const at = worker.now();
  const unreadable = new ForeignItems();
  const byState = { ready: 0, sending: 0, accepted: 0, in_doubt: 0 };
  const oldest: Partial<Record<OpenState, number>> = {};
  let [overdue, otherServices] = [0, 0];
  for await (const { record } of readOpenOfAll(worker, '', unreadable)) {
    const { state, createdAt } = record;
    if (!isOpenState(state) || isDone(record)) continue;
    if (worker.space.isForeign(record)) otherServices += 1;
    else {
      byState[state] += 1;
      oldest[state] = Math.min(oldest[state] ?? Infinity, createdAt);
      if (isOverdue(record, at)) overdue += 1;
    }
  }
  const since = (state: 'ready' | 'in_doubt') =>
    oldest[state] === undefined ? {} : { [state]: new Date(oldest[state]).toISOString() };
  return {
    byState,
    overdue,
    oldest: { ...since('ready'), ...since('in_doubt') },
    otherServices,
    ...(unreadable.count > 0 && { unreadable: unreadable.count }),
  };
}
