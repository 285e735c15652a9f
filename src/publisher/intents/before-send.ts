/** An intent before its send: whether it is too late, and how its caller cancels or edits it. All functions are pure. */
import { requestOf, scheduledTime } from '../../posts/read-create.js';
import { isSameContent, type Content } from './content.js';
import { decide, doubt, isFromFuture, sendAtOf, without, type IntentRecord } from './intent-record.js';
import { longestPauseMs } from './wake-times.js';

/** A change by the caller of an intent. */
export type IntentChange =
  | { readonly type: 'cancel'; readonly at: number }
  | { readonly type: 'edit'; readonly at: number; readonly content: Content };

/** The result of a change, a decision or a report. */
export interface Step {
  /** The next record. It is the same object if nothing needs to be written. */
  readonly record: IntentRecord;
  /** Why the change or the decision was refused. */
  readonly refused?: string | undefined;
}

/** Whether nothing of it was executed: it was not sent, or each send is proved to have done nothing. */
export function isUnsent({ state, error, overruled, resent, lookup }: IntentRecord): boolean {
  // Release 0.2.0 noted only the error if an operator made it ready.
  const waits =
    state === 'ready' ? error?.outcome !== 'unknown' : state === 'rejected' && error?.outcome === 'not_sent';
  return waits && overruled === undefined && resent === undefined && lookup === undefined;
}

/** Whether an intent with a time of its send is so late after its schedule that it is not sent any more. */
export function isLate(record: IntentRecord, at: number, maxLateMs: number): boolean {
  if (record.sendAheadMs === undefined || record.sendLate === true) return false;
  const time = scheduledTime(requestOf(record));
  return time !== undefined && at > time + maxLateMs;
}

/** Records that it is too late to send an intent. If an earlier send may have been executed, it is held. */
export function expired(record: IntentRecord, at: number, { maxLateMs }: { readonly maxLateMs: number }): IntentRecord {
  const late = `It is more than ${String(maxLateMs)} ms (maxLateMs) after its scheduledFor, so it is not sent.`;
  if (isUnsent(record)) {
    const next =
      "To publish it at another time, call `edit`. To publish it now, call `resolve` with as: 'not_sent'. Otherwise, call `cancel`.";
    const error = { ...doubt(`${late} Nothing was sent. ${next}`), outcome: 'not_sent' } as const;
    return { ...record, state: 'rejected', error, wakeAt: null, updatedAt: at };
  }
  const next = `An earlier send may have been executed. ${decide}.`;
  const error = doubt(`${late} ${next}`);
  return { ...record, state: 'in_doubt', error, wakeAt: at + longestPauseMs, updatedAt: at };
}

/** Cancels or edits an intent that was not sent. The same change again changes nothing. */
export function changed(record: IntentRecord, change: IntentChange): Step {
  if (isRepeated(record, change)) return { record };
  if (!isUnsent(record)) return { record, refused: refusal(record) };
  const { at } = change;
  if (change.type === 'cancel')
    return { record: { ...record, state: 'abandoned', changed: 'cancel', wakeAt: null, updatedAt: at } };
  const { notBefore } = record;
  const kept = without(record, 'error', 'slots', 'extraBody', 'sendAheadMs', 'sendLate', 'notBefore');
  const edited = { ...kept, ...change.content, state: 'ready' as const, changed: 'edit' as const, updatedAt: at };
  const due = Math.max(at, sendAtOf(edited) ?? at);
  if (notBefore === undefined || isFromFuture(record, at)) return { record: { ...edited, wakeAt: due } };
  return { record: { ...edited, notBefore, wakeAt: Math.max(due, notBefore) } };
}

function isRepeated(record: IntentRecord, change: IntentChange): boolean {
  if (record.changed !== change.type) return false;
  if (change.type === 'cancel') return true;
  const hasItsTime = !isUnsent(record) || record.sendAheadMs === change.content.sendAheadMs;
  return isSameContent(record, change.content) && hasItsTime;
}

function refusal({ state, postId }: IntentRecord): string {
  switch (state) {
    case 'ready':
      return "may have been executed by an earlier send. To never send it again, call `resolve` with as: 'abandoned'";
    case 'sending':
      return 'is being sent. Wait for its result, then call `get`';
    case 'accepted':
      return `was sent, and its post is ${postId ?? 'not known'}. Change the post at the service`;
    case 'in_doubt':
      return `may have been executed. ${decide}`;
    case 'rejected':
      return "was refused. To send it again, or never, call `resolve` with as: 'not_sent' or 'abandoned'";
    default:
      return `is ${state}, which is final`;
  }
}
