import {
  ApiError,
  AuthenticationError,
  formatIssueOf,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseError,
  ServerError,
  type ApiErrorDetails,
  type ErrorForm,
  type Issue,
  type Outcome,
} from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { issueAt } from '../core/options.js';
import type { ReplyDrift } from './call-events.js';
import { advice } from './connection-errors.js';
import type { PreparedCall } from './prepared-call.js';
import type { Redact } from '../core/redactor.js';
import { hideSecretFields, hideSecrets } from './redact.js';
import { readRetryAfter, type FailedAttempt, type Failure } from './retry.js';

export interface FailedReply {
  readonly response: Response;
  readonly text: string;
  readonly redact: Redact;
}

const longestMessage = 1_000;
const longestSnippet = 200;
/** The message lists this number of issues; `issues` has all. */
const mostListedIssues = 5;

/**
 * A reply with a status other than 2xx.
 * @param now this machine's time, in milliseconds since 1970
 */
export function refused(call: PreparedCall<unknown>, reply: FailedReply, now: number): FailedAttempt {
  const { status, headers } = reply.response;
  const retryAfterMs = readRetryAfter(headers, now);
  return {
    ok: false,
    failure: { kind: 'status', status },
    retryAfterMs,
    toError: (outcome, attempts) => apiError(call, reply, { outcome, attempts, retryAfterMs }),
  };
}

/** A 2xx reply with `success: false`. Another attempt would not change it. */
export function refusedWithSuccess(
  call: PreparedCall<unknown>,
  reply: FailedReply,
  body: Readonly<Record<string, unknown>>,
): FailedAttempt {
  return {
    ok: false,
    failure: call.operation.carriedOut?.(body) === true ? { kind: 'unreadable' } : { kind: 'status', status: 400 },
    toError: (outcome, attempts) => apiError(call, reply, { outcome, attempts }),
  };
}

export function redirected(call: PreparedCall<unknown>, response: Response, redact: Redact): FailedAttempt {
  // A browser hides the status of a redirect (0), so it doesn't show whether a write was executed.
  const failure: Failure = { kind: 'status', status: response.status === 0 ? 303 : response.status };
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) => redirectError(call, { response, redact }, { outcome, attempts }),
  };
}

/** A 2xx reply that differs from the documented one. */
export function unreadable(
  call: PreparedCall<unknown>,
  { response, text, redact }: FailedReply,
  wrong: { readonly problem: string; readonly issues?: readonly Issue[]; readonly cause?: unknown },
): FailedAttempt {
  const { at } = call;
  const { problem, cause } = wrong;
  // Field names, and texts of a caller's schema, can contain anything that the service sent.
  const issues = (wrong.issues ?? []).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redact(part) : part)),
    message: redact(message),
  }));
  const { status } = response;
  const contentType = redact(response.headers.get('content-type') ?? '') || undefined;
  const listed = issues.slice(0, mostListedIssues).map((issue) => formatIssueOf('the reply', issue));
  if (issues.length > mostListedIssues) listed.push(`${String(issues.length - mostListedIssues)} more`);
  const said = listed.length === 0 ? problem : `${problem}: ${listed.join('; ')}`;
  return {
    ok: false,
    failure: { kind: 'unreadable' },
    toError: (outcome) => {
      const answered = `${at.method} ${at.route} was answered with status ${String(status)}, but ${said}.`;
      return new ResponseError(redact(`${answered} rawBody contains it. ${advice(call, outcome)}`), {
        ...at,
        outcome,
        status,
        contentType,
        issues,
        rawBody: text,
        cause,
        redact,
      });
    },
  };
}

/** With `strictResponses`, a drift is an error. */
export function differs(call: PreparedCall<unknown>, reply: FailedReply, drifts: readonly ReplyDrift[]): FailedAttempt {
  const issues = drifts.map(({ path, expected, received }) =>
    issueAt(path.split('.'), `is documented as ${expected}, but arrived as ${received}`),
  );
  return unreadable(call, reply, { problem: 'it differs from the API document (strictResponses)', issues });
}

interface CallEnd {
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly retryAfterMs?: number | undefined;
}

/** The error for a status other than 2xx, or for a 2xx reply with `success: false`. */
function apiError(call: PreparedCall<unknown>, { response, text, redact }: FailedReply, end: CallEnd): ApiError {
  const { at } = call;
  const { outcome, retryAfterMs } = end;
  const { status, headers } = response;
  const body = readBodyValue(text);
  const { form, said } = readErrorForm(body, redact);
  const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${String(Math.ceil(retryAfterMs / 1_000))} s.`;
  const next =
    outcome === 'unknown' ? ` ${status === 409 ? conflictAdvice(call) : advice(call, outcome, 'error')}` : '';
  const verdict = outcome === 'unknown' ? 'was answered' : 'was refused';
  const message = `${at.method} ${at.route} ${verdict} with status ${String(status)}${oneLine(said)}.${wait}${next}`;
  const details: ApiErrorDetails = { ...at, status, headers, body, form, retryAfterMs: undefined, ...end };
  switch (true) {
    case status === 401:
      return new AuthenticationError(message, details);
    case status === 403:
      return new PermissionError(message, details);
    case status === 404:
      return new NotFoundError(message, details);
    case status === 429:
      return new RateLimitError(message, details);
    case status >= 500:
      return new ServerError(message, details);
    default:
      return new ApiError(message, details);
  }
}

/** A 409 to a create often means that the service has an equal post. */
function conflictAdvice(call: PreparedCall<unknown>): string {
  const { method, route } = call.at;
  if (method !== 'POST' || route !== '/v1/posts/') return advice(call, 'unknown', 'error');
  return 'The service may already have an equal post: search for it with posts.reconcile or posts.list before you create it again.';
}

function redirectError(
  call: PreparedCall<unknown>,
  { response, redact }: Omit<FailedReply, 'text'>,
  end: CallEnd,
): RedirectError {
  const { at } = call;
  const { status, headers } = response;
  const origin = originOf(headers.get('location'), response.url);
  const locationOrigin = origin === undefined ? undefined : redact(origin);
  const to = locationOrigin === undefined ? '' : ` to ${locationOrigin}`;
  const doubt = end.outcome === 'unknown' ? ` ${advice(call, end.outcome, 'error')}` : '';
  return new RedirectError(
    `${at.method} ${at.route} was answered with a redirect${to} (status ${String(status)}).${doubt} It was not followed, because the ` +
      'access key would go with it. Set baseUrl to the address of the service.',
    { ...at, ...end, status, headers, body: undefined, form: 'other', locationOrigin },
  );
}

function originOf(location: string | null, base: string): string | undefined {
  if (location === null) return undefined;
  try {
    const { origin } = new URL(location, base === '' ? undefined : base);
    return origin === 'null' ? undefined : origin;
  } catch {
    return undefined;
  }
}

function readBodyValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Reads the two documented forms, `{success, message}` and `{error}`. Otherwise returns a snippet. */
function readErrorForm(body: unknown, redact: Redact): { readonly form: ErrorForm; readonly said: string } {
  if (typeof body === 'object' && body !== null) {
    const { message, error } = body as { message?: unknown; error?: unknown };
    if (typeof message === 'string') return { form: 'message', said: hideSecretFields(redact(message)) };
    if (typeof error === 'string') return { form: 'error', said: hideSecretFields(redact(error)) };
  }
  // Redacted before it is cut: half a secret would not match.
  const text = redact(typeof body === 'string' ? hideSecretFields(body) : JSON.stringify(body, hideSecrets));
  return { form: 'other', said: text.length > longestSnippet ? text.slice(0, longestSnippet - 1) + '…' : text };
}

/** The service's text goes into logs and terminals: one line, no control characters, limited length. */
function oneLine(text: string): string {
  const clean = text
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  if (clean === '') return '';
  return `: ${clean.length > longestMessage ? clean.slice(0, longestMessage) + '…' : clean}`;
}
