/** Errors of a store in calls whose intent may have been sent. None of them proves that the service did nothing. */
import {
  ConfigurationError,
  ForeignDataError,
  IntentConflictError,
  isErrorNamed,
  SocialPublishingError,
  recordOutcome,
} from '../../core/errors.js';

const repeatCall = 'The post may have been sent. Repeat the same call when the store works: it sends nothing twice.';

/** After a decision that may be recorded, a sweep can have sent the intent: the same decision would be about that send. */
export const decideAgain =
  'The decision may be recorded, and the post may have been sent. Read the intent again before you decide again.';

/**
 * Runs work that uses the store. Its errors get the outcome `unknown`: this call, or an earlier one, may have sent the
 * intent. A conflict keeps its outcome, because its body was not sent.
 */
export async function provingNothing<T>(work: () => Promise<T>, next = repeatCall): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withUnknownOutcome(error, next);
  }
}

function withUnknownOutcome(error: unknown, next: string): unknown {
  if (error instanceof IntentConflictError) return error;
  // Also an error of another copy of the package has an outcome.
  if (error instanceof Error && 'outcome' in error && error.outcome !== 'unknown') {
    const details = { outcome: 'unknown', cause: error } as const;
    const wrong = refusedItem(error);
    if (wrong !== undefined)
      return new SocialPublishingError(`The store refused an item: it ${wrong}. ${next}`, details);
    if (error instanceof ForeignDataError)
      return new ForeignDataError(
        `${error.message} The post may have been sent. Until then, every call with its key rejects.`,
        details,
      );
    const message = `${error.message} ${next}`;
    return error.name === 'ConfigurationError'
      ? new ConfigurationError(message, details)
      : new SocialPublishingError(message, details);
  }
  // An error of a driver stays the same object, so that callers recognise it.
  recordOutcome(error, 'unknown');
  return error;
}

/** Returns the rule that an item breaks, without the name of its field. `undefined`: the store did not refuse an item. */
export function refusedItem(error: unknown): string | undefined {
  if (!isErrorNamed(error, 'InvalidRequestError')) return undefined;
  const [issue] = error.issues;
  const name = `${issue?.path.join('.') ?? ''} `;
  const message = issue?.message ?? error.message;
  return message.startsWith(name) ? message.slice(name.length) : message;
}
