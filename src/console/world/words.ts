import { ConnectionError, InvalidRequestError, ResponseError, SocialPublishingError } from 'social-publishing';
import { noAnswer, notEmulator } from './workbench.js';

/** Returns the message of an error of the page's own reads. Faults do not apply to them. */
export function wordsOfRead(error: unknown): string {
  if (error instanceof ConnectionError) return noAnswer;
  if (error instanceof ResponseError) return notEmulator;
  return messageOf(error);
}

/** Returns the message of an error for the user. */
export function wordsOf(error: unknown): string {
  if (error instanceof SocialPublishingError && error.outcome === 'unknown')
    return `${error.message} It is unknown whether the service executed it.`;
  return messageOf(error);
}

function messageOf(error: unknown): string {
  if (error instanceof InvalidRequestError)
    return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  return error instanceof Error ? error.message : String(error);
}
