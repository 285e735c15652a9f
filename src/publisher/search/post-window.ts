/** When the post of an intent was created, in the service's time. One function for each kind of knowledge; all are pure. */
import { createdWindow, type CreatedWindow } from '../../posts/find-posts.js';
import { instantOf, dayMs } from '../../model/instant.js';
import type { IntentRecord, LookupRecord, Sent } from '../intents/intent-record.js';

/**
 * The list is read again if the offset of a clock was wrong by more than this. Other programs publish too: each additional
 * second means more posts to read.
 */
export const guessMs = 5_000;
/**
 * About one search a day for a post whose ID is known reads further in both directions: a day at first, then twice as far
 * each time, up to 1,024 days. The second search is the first one.
 */
const searchesPerDay = 24;
const mostDoublings = 10;

export const always: CreatedWindow = { from: -Infinity, to: Infinity };

/** The searcher's knowledge, in addition to the intent. */
export interface SearcherClock {
  /** How far the service's clock is ahead of the searcher's. `undefined`: no reply showed it. */
  readonly offsetMs: number | undefined;
  /** The searcher sent the intent a moment ago: its clock is the sender's. */
  readonly isSender: boolean;
  readonly settleMs: number;
}

/** `undefined`: no offset of a clock is known. */
export function windowOf(record: IntentRecord, clock: SearcherClock): CreatedWindow | undefined {
  if (record.postId === undefined) return windowOfSend(record, clock);
  const createdAt = instantOf(record.post?.createdAt);
  if (createdAt !== undefined) return { from: createdAt - 1_000, to: createdAt + 1_000 };
  return record.unconfirmed === true ? windowOfNamed(record, clock) : windowOfAnswered(record, clock);
}

/** The service answered with the post, and its time of creation is not known. */
function windowOfAnswered(record: IntentRecord, clock: SearcherClock): CreatedWindow | undefined {
  if (record.sent?.skewMs === undefined) return always;
  const window = windowOfSend(record, clock);
  // The sender's clock may have been wrong, or a cache changed `Date`.
  const isFar = record.looks % searchesPerDay === 1;
  const furtherMs = dayMs * 2 ** Math.min(Math.floor(record.looks / searchesPerDay), mostDoublings);
  return window && isFar ? { from: window.from - furtherMs, to: window.to + furtherMs } : window;
}

/** An operator named the post, so it existed by then. The ID can be wrong: nothing is read twice to find it. */
function windowOfNamed(record: IntentRecord, { offsetMs = 0, settleMs }: SearcherClock): CreatedWindow {
  const { sent, looks, createdAt, updatedAt, acceptedAt = updatedAt } = record;
  if (sent === undefined && looks > 0) return { from: updatedAt + offsetMs + guessMs + 1_000, to: Infinity };
  const from = sent?.at ?? createdAt - dayMs;
  const until = looks > 0 ? from : Math.max(from, acceptedAt);
  return createdWindow(from, until, known(sent?.skewMs, sent?.laterSkewMs, offsetMs), settleMs);
}

function windowOfSend(
  record: IntentRecord,
  { offsetMs, isSender, settleMs }: SearcherClock,
): CreatedWindow | undefined {
  const { sent, postId, lookup, acceptedAt } = record;
  if (sent === undefined) return always;
  const offsets = known(sent.skewMs, sent.laterSkewMs, isSender ? offsetMs : undefined);
  if (offsets.length === 0) return offsetMs === undefined ? undefined : windowOfStranger(sent, lookup, offsetMs);
  // A slow store delays the send after its mark. A known post was created before it was recorded.
  const sentUntil = postId === undefined ? sent.at : Math.max(sent.at, acceptedAt ?? 0);
  return createdWindow(sent.at, sentUntil, offsets, settleMs);
}

/** The sender's clock is not known. The send was before the first search. */
function windowOfStranger(sent: Sent, lookup: LookupRecord | undefined, offsetMs: number): CreatedWindow {
  const { from } = createdWindow(sent.at, undefined, [offsetMs]);
  const firstAt = lookup?.isFirstLocal === true ? undefined : lookup?.firstAt;
  const to = firstAt === undefined ? Infinity : createdWindow(firstAt, firstAt, [0]).to;
  return { from, to: Math.max(from, to) };
}

function known(...offsets: readonly (number | undefined)[]): number[] {
  return offsets.filter((ms) => ms !== undefined);
}
