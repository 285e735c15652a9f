import { codeOf } from '../core/error-code.js';
import { ConfigurationError, SocialPublishingError } from '../core/errors.js';
import { withoutPasswords } from '../core/redactor.js';

/** Returns the error of a setup problem: a missing table, an old engine, a file that cannot be opened. */
export function setupFailure(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { cause, redact: withoutPasswords });
}

/**
 * Returns the error of a store in use. A store does not know whether an intent was sent, so the outcome is `unknown`.
 */
export function storeFailure(message: string, cause?: unknown): SocialPublishingError {
  return new SocialPublishingError(message, { outcome: 'unknown', cause, redact: withoutPasswords });
}

/** The message of a driver's error, without passwords, and without the full stop at its end. */
export function messageOf(error: unknown): string {
  // An AggregateError of several addresses has no message.
  const message = error instanceof Error ? error.message || codeOf(error) || error.name : String(error);
  return withoutPasswords(message).replace(/\.$/, '');
}
