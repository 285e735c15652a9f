/** What people see: a table, a bar, and a summary. */
import type { Intent, IntentState, PublishProgress } from 'social-publishing/publisher';
import type { Problem, Row } from './rows.js';

const textWidth = 40;

/** What would be sent, and when. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ line, key, body: { scheduledFor, content = '', platforms } }) => [
    String(line),
    key,
    scheduledFor,
    platforms.map(({ platform }) => platform).join(' '),
    shorten(content),
  ]);
  const all = [['line', 'key', 'when', 'where', 'what'], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > textWidth ? `${line.slice(0, textWidth - 1)}…` : line;
}

export function problemLine({ line, field, message }: Problem): string {
  return `line ${line}, ${field}: ${message}`;
}

/** What became of a row that has no post. */
export function heldLine({ line }: Row, { state, error }: Intent): string {
  return `line ${line}: ${state}: ${error?.message ?? 'not settled yet'}`;
}

const advice: Partial<Record<IntentState, string>> = {
  ready: 'ready: nothing was sent. Run it again; where the access key is refused, mend that first.',
  sending: 'sending: run it again in a moment, and it is looked for.',
  in_doubt:
    'in_doubt: look at the service. A post that is there is found when you run it again; where there is none, run it ' +
    'again with --not-sent KEY.',
  rejected:
    'rejected: mend what the service names (an account, its permissions), then run it again with --not-sent KEY. A row ' +
    'that has to be changed needs a key of its own.',
};

/** What to do about rows that have no post, once for each state. */
export function adviceLines(held: Iterable<Intent>): string[] {
  const lines = new Set<string>();
  for (const { state, error } of held) {
    // Refused here, for example since the row was changed: the message itself says what to do.
    const isOwnRefusal = state === 'rejected' && error?.outcome === 'not_sent';
    const line = isOwnRefusal ? undefined : advice[state];
    if (line !== undefined) lines.add(line);
  }
  return [...lines];
}

/** How many are behind us, whatever became of them. */
export function done({ total: _total, ...counts }: PublishProgress): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const barWidth = 30;

/** Draws over itself on a terminal, and keeps quiet elsewhere. */
export function drawBar(progress: PublishProgress): void {
  if (!process.stderr.isTTY) return;
  const share = done(progress) / Math.max(1, progress.total ?? 0);
  const filled = Math.round(barWidth * share);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  process.stderr.write(`\r${bar} ${done(progress)} of ${progress.total ?? '?'}  ${summary(progress)}`);
}

/** Ends the line of the bar. */
export function endBar(): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
}

/** The states that occur, for example `12 accepted, 1 rejected`. */
export function summary({ total: _total, ...counts }: PublishProgress): string {
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  return said.map(([state, count]) => `${count} ${state === 'inDoubt' ? 'in doubt' : state}`).join(', ') || 'nothing';
}

/** An error's message without the passwords of URLs. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses that all refused make an error without a message.
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const message = error.message || inner.map(errorText).join('; ') || error.name;
  return message.replace(/\/\/\S*@/g, '//…@');
}
