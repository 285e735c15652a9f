import { ConnectionError, InvalidRequestError, SocialPublishingError } from 'social-publishing';
import { noAnswer } from './workbench.js';

/** Returns the message of an error of the page's own reads. Faults do not apply to them. */
export function wordsOfRead(error: unknown): string {
  return error instanceof ConnectionError ? noAnswer : wordsOf(error);
}

/** Returns the message of an error for the user. */
export function wordsOf(error: unknown): string {
  if (error instanceof InvalidRequestError)
    return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  if (error instanceof SocialPublishingError && error.outcome === 'unknown')
    return `${error.message} It is unknown whether the service executed it.`;
  return error instanceof Error ? error.message : String(error);
}
