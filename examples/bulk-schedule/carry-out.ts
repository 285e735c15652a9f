/** Carrying a campaign out: all rows, then again those that wait, until none does or a person has to act. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Intent, Publisher, PublishProgress } from 'social-publishing/publisher';
import { isLate } from './late.js';
import type { Row } from './rows.js';

/** The pauses before rows that wait are tried again: the first one, and the longest. Each is twice the one before. */
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** When what still waits is left to the next run. */
const patienceMs = 60_000;

export interface CarryOutOptions {
  readonly concurrency: number;
  /** What is under way is finished and noted; nothing more is begun. */
  readonly signal: AbortSignal;
  /** Is told after each row, the first time. */
  readonly onProgress: (progress: PublishProgress) => void;
  /** Is told how many rows wait once all were tried. */
  readonly onWait: (count: number) => void;
}

/** A row without a post: what the publisher says of it, or that its time passed before it was sent. */
export type Held = Intent | 'late';

/** @returns the rows that have no post, by their keys */
export async function carryOut(
  publisher: Publisher,
  rows: readonly Row[],
  { concurrency, signal, onProgress, onWait }: CarryOutOptions,
): Promise<Map<string, Held>> {
  const held = new Map<string, Held>();
  // It is asked for each row right before the row is sent: a time may pass while others go first.
  async function* inTime(some: readonly Row[]): AsyncGenerator<Row, void, undefined> {
    for (const row of some) {
      if (signal.aborted) return;
      if (await isLate(publisher, row)) held.set(row.key, 'late');
      else yield row;
    }
  }
  const pass = async (some: readonly Row[], told?: typeof onProgress) => {
    for await (const intent of publisher.publishMany(inTime(some), { concurrency, onProgress: told })) {
      if (intent.postId === undefined) held.set(intent.key, intent);
      else held.delete(intent.key);
    }
  };
  await pass(rows, onProgress);
  const giveUpAt = Date.now() + patienceMs;
  const waiting = () => rows.filter(({ key }) => mayMove(held.get(key)));
  onWait(waiting().length);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    // These rows alone: the store may hold other campaigns, which are nobody's business here.
    const some = waiting();
    if (some.length === 0 || Date.now() + pauseMs > giveUpAt) return held;
    await pause(pauseMs, signal);
    if (signal.aborted) return held;
    await pass(some);
  }
}

/** Whether waiting helps: it is being sent, or it was put off. A key that the service refuses must be mended first. */
function mayMove(held: Held | undefined): boolean {
  if (held === undefined || held === 'late') return false;
  return held.state === 'sending' || (held.state === 'ready' && ![401, 403].includes(held.error?.status ?? 0));
}

/** Ends early at an abort. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
