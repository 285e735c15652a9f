import { ConnectionError, InvalidRequestError, ResponseError } from 'social-publishing';
import { sentencesOf } from '../state/sentences.js';
import { noAnswer, notEmulator } from './workbench.js';

/** Returns the message of an error of the page's own reads. Faults do not apply to them. */
export function wordsOfRead(error: unknown): string {
  if (error instanceof ConnectionError) return noAnswer;
  if (error instanceof ResponseError) return notEmulator;
  return wordsOf(error);
}

/** Returns the message of an error for the user. */
export function wordsOf(error: unknown): string {
  if (error instanceof InvalidRequestError)
    // Each message begins with its field.
    return sentencesOf(error.issues.map(({ message }) => message));
  return error instanceof Error ? error.message : String(error);
}
