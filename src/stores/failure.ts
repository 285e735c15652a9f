import { ConfigurationError, SocialPublishingError } from '../core/errors.js';

/** What a store is not set up for: a table that is missing, an engine that is too old, a file that can't be opened. */
export function setupFailure(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { cause, redact: withoutPasswords });
}

/**
 * What went wrong while a store was used. Whether an intent was sent is not the store's to know, so the outcome is
 * `unknown`.
 */
export function storeFailure(message: string, cause?: unknown): SocialPublishingError {
  return new SocialPublishingError(message, { outcome: 'unknown', cause, redact: withoutPasswords });
}

/** The message of a driver's error, fit to be shown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutPasswords(String(error));
  // An AggregateError of several addresses that were tried has no message of its own.
  const message = error.message === '' ? codeOf(error) || error.name : error.message;
  return withoutPasswords(message);
}

/** A driver may name the URL that it was given. */
function withoutPasswords(text: string): string {
  return text.replace(/(\b\w{1,32}:\/\/)[^\s/@]*@/g, '$1***@');
}

/** A short name of what went wrong, as drivers put it. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}
