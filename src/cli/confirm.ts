import { createInterface } from 'node:readline/promises';
import { NotConfirmedError } from './command-errors.js';
import type { Session, Values } from './session.js';

/** A post within this time needs a confirmation. */
const soonMs = 5 * 60_000;

/** Whether a post with these fields is published within 5 minutes, or at an uncertain time. */
export function goesOutSoon(body: Readonly<Record<string, unknown>>, now: number): boolean {
  const { saveAsDraft, publishNow, scheduledFor } = body;
  if (publishNow === true) return true;
  if (typeof scheduledFor === 'string') {
    // Without an offset, the exact time is unknown.
    const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(scheduledFor);
    const time = hasOffset ? Date.parse(scheduledFor) : NaN;
    return !(time > now + soonMs);
  }
  return saveAsDraft !== true;
}

/**
 * Asks a question on the terminal. `--yes` answers it.
 * @throws NotConfirmedError the user answers no, or there is no terminal
 */
export async function confirm({ world, output }: Session, { yes }: Values, question: string): Promise<void> {
  if (yes === true) return;
  const { stdin, stderr, signal } = world;
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new NotConfirmedError(`${question} There is no terminal to ask on. Nothing was sent. Pass --yes to confirm.`);
  output.error(question);
  // Terminals are always the streams of the process.
  const terminal = {
    input: stdin as unknown as NodeJS.ReadableStream,
    output: stderr as unknown as NodeJS.WritableStream,
  };
  // Without line editing, Ctrl-C remains a signal.
  const prompt = createInterface({ ...terminal, terminal: false });
  const answered = new Promise<string>((resolve, reject) => {
    // Ctrl-D: there is no answer.
    prompt.once('close', () => {
      resolve('');
    });
    prompt.question('Continue? [y/N] ', { signal }).then(resolve, reject);
  });
  const answer = await answered.finally(() => {
    prompt.close();
  });
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  throw new NotConfirmedError('Not confirmed. Nothing was sent.');
}
