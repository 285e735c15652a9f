import { callSafely } from '../core/call/hooks.js';
import { codeOf, isError, isInPlaceOfRequest } from '../core/error-code.js';
import { ConfigurationError, SocialPublishingError } from '../core/errors.js';
import { withoutPasswords } from '../core/redactor.js';
import { currentProcess } from '../core/runtime.js';

/** Returns the error of a setup problem: a missing table, an old engine, a file that cannot be opened. */
export function setupFailure(message: string, cause?: unknown, redact = withoutPasswords): ConfigurationError {
  return new ConfigurationError(message, { cause, redact });
}

/**
 * Returns the error of a store in use. A store does not know whether an intent was sent, so the outcome is `unknown`.
 */
export function storeFailure(message: string, cause?: unknown, redact = withoutPasswords): SocialPublishingError {
  return new SocialPublishingError(message, { outcome: 'unknown', cause, redact });
}

/** The next step after a call whose reply is lost. The intent or the call can have been sent again since a decision. */
export const afterLostReply =
  'A write may have happened. You can repeat the call. Only before you repeat resolve(), read the intent or the held call again.';

/** Returns whether a store must pass an error on unchanged: an error of this package, or an error for Next.js. */
export function isPassedOn(error: unknown): error is Error {
  return error instanceof SocialPublishingError || isInPlaceOfRequest(error);
}

/** The message of a driver's error, without passwords, and without the full stop at its end. */
export function messageOf(error: unknown): string {
  // An AggregateError of several addresses has no message.
  const message = isError(error) ? error.message || codeOf(error) || error.name : String(error);
  return withoutPasswords(message).replace(/\.$/, '');
}

/** Receives a warning once about an engine setting that breaks the store's guarantee, with the setting to use. */
export type OnStoreWarning = (message: string) => void;

/** Reports warnings. An exception or a rejection of the callback must not change the result of a write. */
export function report(warnings: Iterable<string>, onWarning: OnStoreWarning): void {
  for (const warning of warnings) void callSafely(onWarning.bind(undefined, warning));
}

/** Writes a warning of the process, or to the console if there is no process. */
export function warnProcess(message: string): void {
  const process = currentProcess();
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, { type: 'SocialPublishingWarning', code: 'SOCIAL_PUBLISHING_STORE' });
  else console.warn(message);
}
