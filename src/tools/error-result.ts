import {
  InvalidRequestError,
  formatIssues,
  isApiError,
  isErrorNamed,
  isPackageError,
  type ApiError,
  type Issue,
  type SocialPublishingError,
} from '../core/errors.js';
import { outcomeOf } from '../core/outcome.js';
import { issueAt } from '../core/options.js';
import { result, shortText } from './results.js';
import { AmbiguousTime } from './times.js';
import type { ToolResult } from './tool.js';

const longestMessage = 500;

/** An input that names an account that does not exist. */
export class UnknownAccount extends InvalidRequestError {
  constructor(id: string) {
    super([issueAt(['accountIds'], `contains an account that was not found: ${shortText(id, 100)}`)]);
  }
}

/** Names the field of the input, in place of an argument of the client. */
export function withField({ issues }: InvalidRequestError, field: string): InvalidRequestError {
  return new InvalidRequestError(
    issues.map(({ path, message }) => ({ path: [field], message: message.replace(path.join('.'), field) })),
  );
}

/** The result of a call with wrong input. */
export function invalid(issues: readonly Issue[], next = 'Fix the named field and call again.'): ToolResult {
  return result('invalid', `${shortText(formatIssues(issues), longestMessage)}. Nothing was sent.`, {
    data: { issues: issues.slice(0, 20).map(shortIssue) },
    next,
  });
}

/** The name of a field in the input can have any length. */
function shortIssue({ path, message }: Issue) {
  return { field: shortText(path.join('.'), 100), message: shortText(message, 300) };
}

/** The result of a call about something that does not exist. */
export function notFound(what: string, next?: string): ToolResult {
  return result('failed', `${what} was not found.`, { next });
}

/**
 * The result of a call that threw. Messages of this package contain no secret; other messages, for example of a driver, are
 * not quoted.
 */
export function errorResult(error: unknown): ToolResult {
  if (error instanceof AmbiguousTime) {
    const { field, earlier, later, message } = error;
    return result('invalid', `${oneSentence(error.issues[0]?.message ?? message)} Nothing was sent.`, {
      data: { field, earlier, later },
      next: `Pass ${earlier} or ${later} as ${field}.`,
    });
  }
  if (error instanceof UnknownAccount) return invalid(error.issues, 'Call list_accounts.');
  if (isErrorNamed(error, 'InvalidRequestError')) return invalid(error.issues);
  if (isErrorNamed(error, 'NotFoundError'))
    return result('failed', oneSentence(error.message), { data: describe(error) });
  if (isErrorNamed(error, 'IntentConflictError') && error.services !== undefined) {
    return result('rejected', `This key belongs to the service ${error.services.recorded}. Nothing was sent.`, {
      next: 'Ask the user to check the base URL and the store of these tools. A new key would publish the post at this service too.',
    });
  }
  if (isErrorNamed(error, 'IntentConflictError')) {
    return result('rejected', 'This key already has another content. Nothing was sent.', {
      next: 'To repeat a call, pass the content that the key has. Use a new key only if the user asks for a second post or message.',
    });
  }
  if (isErrorNamed(error, 'CreditLimitError')) {
    return result('rejected', 'The call would pass the credit budget. Nothing was sent.', {
      data: { creditsUsed: error.creditsUsed, maxCredits: error.maxCredits },
      next: 'Ask the user for a larger budget.',
    });
  }
  if (isApiError(error)) return refused(error);
  if (isPackageError(error)) {
    // A store that failed may have failed after a send. Every write has a key.
    const isOpen = ['ConnectionError', 'TimeoutError'].includes(error.name) || outcomeOf(error) === 'unknown';
    const next = isOpen ? 'Call again with the same input.' : undefined;
    return result('failed', oneSentence(error.message), { data: describe(error), next });
  }
  const name = error instanceof Error ? error.name : typeof error;
  return result('failed', `An unexpected error ended the call (${name}).`, { next: 'Call again with the same input.' });
}

function refused(error: ApiError): ToolResult {
  const data = describe(error);
  if (isErrorNamed(error, 'RateLimitError'))
    return result('failed', oneSentence(error.message), { data, next: afterPause(error) });
  if (isErrorNamed(error, 'AuthenticationError') || isErrorNamed(error, 'PermissionError')) {
    return result('failed', oneSentence(error.message), { data, next: 'Ask the user to check the access key.' });
  }
  const isRefusal = outcomeOf(error) === 'rejected';
  const next = isRefusal ? undefined : 'Call again with the same input.';
  return result(isRefusal ? 'rejected' : 'failed', oneSentence(error.message), { data, next });
}

/** Says when to repeat a call that the service was too busy for. */
export function afterPause(
  { retryAfterMs }: { readonly retryAfterMs?: number | undefined },
  how = 'call again',
): string {
  if (retryAfterMs === undefined) return `Wait a minute, then ${how}.`;
  return `Wait ${String(Math.ceil(retryAfterMs / 1_000))} seconds, then ${how}.`;
}

function oneSentence(message: string): string {
  const text = shortText(message.replace(/\s+/g, ' '), longestMessage);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function describe(error: SocialPublishingError) {
  return {
    error: shortText(error.message, longestMessage),
    name: error.name,
    ...(isApiError(error) ? { httpStatus: error.status } : {}),
  };
}
