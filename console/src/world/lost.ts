import { ConnectionError } from 'social-publishing';
import { NoAnswerError } from './workbench.js';

const answerMs = 2_000;

/** Whether an action failed because the emulator does not answer any request. */
export async function isLost(error: unknown): Promise<boolean> {
  if (error instanceof NoAnswerError) return true;
  if (!(error instanceof ConnectionError)) return false;
  // A fault may have simulated the failure: then the emulator still answers.
  try {
    await fetch('./_emulator/clock', { signal: AbortSignal.timeout(answerMs) });
    return false;
  } catch {
    return true;
  }
}
