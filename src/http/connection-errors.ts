import {
  ConnectionError,
  formatIssueOf,
  ResponseError,
  TimeoutError,
  type Issue,
  type Outcome,
  type SocialPublishingError,
} from '../core/errors.js';
import { classifyNetworkError, networkReason } from './network-error.js';
import { hasOwnTlsPort, networkHint } from './network-hint.js';
import type { Redact } from './redact.js';
import type { PreparedCall } from './prepared-call.js';
import type { Failure } from './retry.js';

/** One attempt that failed: the error to throw if it is the last, and what it means for a retry. */
export interface FailedAttempt {
  readonly ok: false;
  readonly failure: Failure;
  readonly retryAfterMs?: number | undefined;
  toError(outcome: Outcome, attempts: number): SocialPublishingError;
}

/** How one attempt ended. */
export type AttemptResult<Reply> = { readonly ok: true; readonly reply: Reply } | FailedAttempt;

/** How many issues of a reply its error's message tells; `issues` has all of them. */
const mostListedIssues = 5;

/** No whole reply came. */
export function networkFailure(
  error: unknown,
  cause: unknown,
  call: PreparedCall<unknown>,
  redact: Redact,
  failure: Failure = classifyNetworkError(error),
): FailedAttempt {
  const { method, path: route } = call;
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) => {
      const got = failure.kind === 'not_sent' || failure.kind === 'tls' ? 'could not be sent' : 'got no whole reply';
      const reason = redact(networkReason(error)).replace(/\.$/, '');
      const hint = networkHint(error, call.url);
      const next = hint === '' ? advice(call, outcome) : `${hint} ${advice(call, outcome)}`;
      const message = `${method} ${route} ${got} (attempt ${String(attempts)}): ${reason}. ${next}`;
      return new ConnectionError(message, attempts, { method, route, outcome, cause, redact });
    },
  };
}

/** A limit of time. */
export interface Limit {
  readonly option: 'timeoutMs' | 'totalTimeoutMs';
  readonly limitMs: number;
}

/** The attempt ran out of time: while it was under way, or, not `sent`, while the key function ran. */
export function timedOut(call: PreparedCall<unknown>, { option, limitMs }: Limit, sent: boolean): FailedAttempt {
  const { method, path: route } = call;
  const missing = sent ? 'no whole reply' : 'the accessKey function gave no key';
  return {
    ok: false,
    failure: { kind: sent ? 'lost' : 'not_sent' },
    toError: (outcome, attempts) =>
      new TimeoutError(
        `${method} ${route} timed out: ${missing} within ${String(limitMs)} ms (${option}, attempt ${String(attempts)}). ` +
          // A server of plain http may wait for ever for what TLS never sends.
          (hasOwnTlsPort(call.url) ? 'Does that port speak TLS, or should baseUrl begin with http:? ' : '') +
          advice(call, outcome),
        attempts,
        limitMs,
        { method, route, outcome },
      ),
  };
}

/** A 2xx reply that is not what is documented. */
export function unreadable(
  call: PreparedCall<unknown>,
  response: Response,
  rawBody: string,
  redact: Redact,
  wrong: { readonly problem: string; readonly issues?: readonly Issue[]; readonly cause?: unknown },
): FailedAttempt {
  const { method, path: route } = call;
  const { problem, cause } = wrong;
  // Names of fields and texts of a caller's schema can hold anything that the service sent.
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
    toError: (outcome) =>
      new ResponseError(
        redact(
          `${method} ${route} was answered with status ${String(status)}, but ${said}. rawBody keeps it. ${advice(call, outcome)}`,
        ),
        { method, route, outcome, status, contentType, issues, rawBody, cause, redact },
      ),
  };
}

/** What a caller should do next, by outcome. */
function advice({ method, costsCredit }: PreparedCall<unknown>, outcome: Outcome): string {
  if (outcome === 'not_sent') return 'The service never saw it, so it is safe to call again.';
  if (outcome === 'rejected') return 'The service did not carry it out.';
  if (costsCredit) return 'It may have cost its credit, and calling again may cost another.';
  return method === 'GET'
    ? 'It is a read, so it is safe to call again.'
    : 'It may have been carried out: look before calling again.';
}
