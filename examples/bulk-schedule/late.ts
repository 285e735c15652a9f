/** Rows whose time is past: what was sent in time is only looked for, and what was not is never sent late. */
import type { Publisher } from 'social-publishing/publisher';
import type { Problem, Row } from './rows.js';
import type { Word } from './words.js';

export function isPast({ body }: Row): boolean {
  return Date.parse(body.scheduledFor) <= Date.now();
}

/**
 * Whether a row would be sent after its time.
 *
 * @param publisher who knows what earlier runs did; none: there were none
 * @param isNotSent a person's word: what is held would be sent
 */
export async function isLate(publisher: Publisher | undefined, row: Row, isNotSent = false): Promise<boolean> {
  if (!isPast(row)) return false;
  const { state = 'ready' } = (await publisher?.get(row.key)) ?? {};
  return state === 'ready' || (isNotSent && (state === 'in_doubt' || state === 'rejected'));
}

/** A row that would be late is a problem as all others are, found before anything is sent. */
export async function lateProblems(
  publisher: Publisher | undefined,
  rows: readonly Row[],
  words: readonly Word[],
): Promise<Problem[]> {
  const said = new Set(words.map(({ key }) => key));
  const problems: Problem[] = [];
  for (const row of rows) if (await isLate(publisher, row, said.has(row.key))) problems.push(lateProblem(row));
  return problems;
}

export function lateProblem({ line }: Row): Problem {
  return {
    line,
    field: 'time',
    message: 'is past, and it was not sent: leave the row out, or give it a new time and a key of its own',
  };
}
