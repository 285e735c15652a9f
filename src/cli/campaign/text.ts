/** Texts for the user: lines about rows, a progress bar, and a summary. */
import type { Intent, IntentState, PublishProgress } from '../../publisher/index.js';
import type { Problem, Row } from './rows.js';

export function problemLine({ line, field, message }: Problem): string {
  return `line ${line}, ${field}: ${message}`;
}

/** A row without a post. */
export function heldLine({ line }: Row, { state, error }: Intent): string {
  return `line ${line}: ${state}: ${error?.message ?? 'not settled yet'}`;
}

/** `options`: the options that choose the store, with a space before each. */
const adviceFor = (options: string): Partial<Record<IntentState, string>> => ({
  ready: 'ready: nothing was sent. Run the command again. If the access key was refused, fix the key first.',
  sending: 'sending: another process is sending it. Run the command again in a minute, or pass --wait.',
  in_doubt:
    'in_doubt: check the service. Run the command again to search once more. If the post does not exist, run ' +
    `social-publishing intents resolve KEY${options} --as not_sent, then the command again.`,
  rejected:
    `rejected: fix the cause that the message names. Then run social-publishing intents resolve KEY${options} --as ` +
    'not_sent, and the command again. Changed content needs a new key.',
});

/** Returns the advice about rows without a post, once for each state. */
export function adviceLines(held: Iterable<Intent>, options: string): string[] {
  const advice = adviceFor(options);
  const lines = new Set<string>();
  for (const { state, error } of held) {
    // If the key has another body, the message itself says what to do.
    const isOwnRefusal = state === 'rejected' && error?.outcome === 'not_sent';
    const line = isOwnRefusal ? undefined : advice[state];
    if (line !== undefined) lines.add(line);
  }
  return [...lines];
}

const barWidth = 30;

/** A line that shows the progress of the campaign. */
export function bar(progress: PublishProgress, total: number): string {
  const { total: _total, ...counts } = progress;
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const filled = Math.round((barWidth * done) / Math.max(1, total));
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${done} of ${total}  ${summary(progress)}`;
}

/** Counts the rows by state, for example `12 accepted, 1 rejected`. */
export function summary({ total: _total, ...counts }: PublishProgress): string {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return found.map(([state, count]) => `${count} ${state === 'inDoubt' ? 'in doubt' : state}`).join(', ') || 'nothing';
}
