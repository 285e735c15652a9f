/**
 * Rows with a time in the past. If a row was sent in time, the command searches for its post. Other rows are never sent
 * late.
 */
import type { Publisher } from '../../publisher/index.js';
import type { Problem, Row } from './rows.js';

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
