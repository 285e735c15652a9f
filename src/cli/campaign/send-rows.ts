/** Sends all rows of a campaign, then sends the waiting rows again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Intent, PublishProgress, Publisher } from '../../publisher/index.js';
import { conflictText } from '../report-error.js';
import type { Problem, Row } from './rows.js';

/** The first and the longest pause before another try. Each pause is twice as long as the previous one. */
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** After this time, waiting rows are left to the next run. */
const patienceMs = 60_000;

export interface SendRowsOptions {
  readonly concurrency: number;
  /** After an abort, started requests are finished and recorded. No other request starts. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Whether to wait for rows that another process is sending. */
  readonly waitForLeases: boolean;
  /** Called after each row of the first pass. */
  readonly onProgress: (progress: PublishProgress) => void;
  /** Called with the number of waiting rows after the first pass. */
  readonly onWait: (count: number) => void;
}

/** The result of a row: its intent, or `late` if its time passed before it was sent. */
export type RowResult = Intent | 'late';

/** Returns the results of the rows by their keys. A row that was not tried has no result. */
export async function sendRows(
  publisher: Publisher,
  rows: readonly Row[],
  options: SendRowsOptions,
): Promise<Map<string, RowResult>> {
  const { concurrency, signal, onProgress, onWait, now } = options;
  const results = new Map<string, RowResult>();
  // An intent can have another Unicode form of the row's key: file systems change the form of file names.
  const keyOfRow = new Map(rows.map(({ key }) => [key.normalize('NFC'), key]));
  // Checked right before each row: its time can pass while others are sent.
  async function* inTime(some: readonly Row[]): AsyncGenerator<Row, void, undefined> {
    for (const row of some) {
      if (signal.aborted) return;
      if (await isLate(publisher, row, now())) results.set(row.key, 'late');
      else yield row;
    }
  }
  const pass = async (some: readonly Row[], report?: typeof onProgress) => {
    for await (const intent of publisher.publishMany(inTime(some), { concurrency, onProgress: report }))
      results.set(keyOfRow.get(intent.key.normalize('NFC')) ?? intent.key, withFlags(intent));
  };
  await pass(rows, onProgress);
  const giveUpAt = now() + patienceMs;
  // It changes while this function waits.
  const isStopped = () => signal.aborted;
  const waiting = () => rows.filter(({ key }) => mayMove(results.get(key), options));
  onWait(waiting().length);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    // Only these rows: the store can contain other campaigns.
    const some = waiting();
    if (some.length === 0 || isStopped() || now() + pauseMs > giveUpAt) return results;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (!isStopped()) await pass(some);
  }
}

function withFlags(intent: Intent): Intent {
  const { error } = intent;
  if (error?.name !== 'IntentConflictError') return intent;
  return { ...intent, error: { ...error, message: conflictText(error.message) } };
}

/** Whether waiting helps: another process sends it, or the service asked to wait. A refused key must be fixed first. */
function mayMove(result: RowResult | undefined, { waitForLeases }: SendRowsOptions): boolean {
  if (result === undefined || result === 'late') return false;
  if (result.state === 'sending') return waitForLeases;
  return result.state === 'ready' && ![401, 403].includes(result.error?.status ?? 0);
}

// * Rows with a time in the past. If a row was sent in time, the command searches for its post. Other rows are never sent
// late.

export function isPast({ body }: Row, now: number): boolean {
  return Date.parse(body.scheduledFor) <= now;
}

/** Returns whether a row would be sent after its time. */
export async function isLate(publisher: Publisher, row: Row, now: number): Promise<boolean> {
  if (!isPast(row, now)) return false;
  const { state = 'ready' } = (await publisher.get(row.key)) ?? {};
  return state === 'ready';
}

/** Reports a late row like all other problems, before anything is sent. */
export async function lateProblems(publisher: Publisher, rows: readonly Row[], now: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const row of rows) if (await isLate(publisher, row, now)) problems.push(lateProblem(row));
  return problems;
}

export function lateProblem({ line }: Row): Problem {
  return {
    line,
    field: 'time',
    message: 'is in the past, and the row was not sent: remove the row, or change its time and its key',
  };
}
