import {
  ApiError,
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ServerError,
  type ApiErrorDetails,
  type ErrorForm,
  type Outcome,
} from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { hideSecretFields, hideSecrets, type Redact } from './redact.js';

/** A reply in which the service refused. */
export interface RefusedReply {
  readonly method: string;
  readonly route: string;
  readonly response: Response;
  readonly text: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly redact: Redact;
  readonly retryAfterMs?: number | undefined;
}

const longestMessage = 1_000;
const longestSnippet = 200;
const doubtful = ' It may have been carried out: look before calling again.';

/** The error for a status other than 2xx, or for a 2xx reply with `success: false`. */
export function apiError(refusal: RefusedReply): ApiError {
  const { method, route, response, text, outcome, attempts, redact, retryAfterMs } = refusal;
  const { status, headers } = response;
  const body = readBodyValue(text);
  const { form, said } = readErrorForm(body, redact);
  const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${String(Math.ceil(retryAfterMs / 1_000))} s.`;
  const doubt = outcome === 'unknown' && method !== 'GET' ? doubtful : '';
  const verdict = outcome === 'unknown' ? 'was answered' : 'was refused';
  const message = `${method} ${route} ${verdict} with status ${String(status)}${oneLine(said)}.${wait}${doubt}`;
  const details: ApiErrorDetails = { method, route, outcome, status, headers, body, form, retryAfterMs, attempts };
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

/** The error for any redirect. */
export function redirectError(refusal: Omit<RefusedReply, 'text'>): RedirectError {
  const { method, route, response, outcome, attempts, redact } = refusal;
  const { status, headers } = response;
  const origin = originOf(headers.get('location'), response.url);
  const locationOrigin = origin === undefined ? undefined : redact(origin);
  const to = locationOrigin === undefined ? '' : ` to ${locationOrigin}`;
  return new RedirectError(
    `${method} ${route} was answered with a redirect${to} (status ${String(status)}).${outcome === 'unknown' ? doubtful : ''} None is followed, since the access key ` +
      'would go with it. Set baseUrl to where the service is.',
    { method, route, outcome, status, headers, body: undefined, form: 'other', attempts, locationOrigin },
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

/** Reads the two documented forms, `{success, message}` and `{error}`, and takes a snippet of anything else. */
function readErrorForm(body: unknown, redact: Redact): { readonly form: ErrorForm; readonly said: string } {
  if (typeof body === 'object' && body !== null) {
    const { message, error } = body as { message?: unknown; error?: unknown };
    if (typeof message === 'string') return { form: 'message', said: hideSecretFields(redact(message)) };
    if (typeof error === 'string') return { form: 'error', said: hideSecretFields(redact(error)) };
  }
  // Redacted before it is cut: half a secret would not be found.
  const text = redact(typeof body === 'string' ? hideSecretFields(body) : JSON.stringify(body, hideSecrets));
  return { form: 'other', said: text.length > longestSnippet ? text.slice(0, longestSnippet - 1) + '…' : text };
}

/** The service's words go into logs and terminals: one line, no control characters, of bearable length. */
function oneLine(text: string): string {
  const clean = text
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  if (clean === '') return '';
  return `: ${clean.length > longestMessage ? clean.slice(0, longestMessage) + '…' : clean}`;
}
