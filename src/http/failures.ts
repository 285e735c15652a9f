import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  formatIssues,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseError,
  ServerError,
  TimeoutError,
  type ErrorForm,
  type Issue,
  type Outcome,
} from '../core/errors.js';
import type { DriftInfo } from '../core/call/hooks.js';
import { isFields, parseJson, shortText, type Fields } from '../core/json.js';
import { codeOf, isError } from '../core/error-code.js';
import { isLoopback, parseUrl } from '../core/parse-url.js';
import { issueAt } from '../core/call/options.js';
import { hideSecretFields, redactValue, type Redact } from '../core/redactor.js';
import type { PreparedRequest } from './request.js';
import type { FailedAttempt, Failure } from './retry.js';

/** The error of an attempt without a complete reply. */
export function networkFailure(
  request: PreparedRequest,
  error: unknown,
  redact: Redact,
  failure: Failure = classifyNetworkError(error),
): FailedAttempt {
  const { at } = request;
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) => {
      const got = isNotSent(failure) ? 'could not be sent' : 'got no whole reply';
      const reason = redact(networkReason(error)).replace(/\.$/, '');
      const hint = networkHint(error, request.url, failure);
      const next = `${hint} ${advice(request, outcome)}`.trimStart();
      const message = `${at.method} ${at.route} ${got} (attempt ${String(attempts)}): ${reason}. ${next}`;
      return new ConnectionError(message, attempts, { ...at, outcome, cause: error, redact });
    },
  };
}

/** The error of an attempt whose key function failed. */
export function keyFailure({ at }: PreparedRequest, { message }: ConfigurationError): FailedAttempt {
  return {
    ok: false,
    failure: { kind: 'unsendable' },
    toError: (outcome) => new ConfigurationError(message, { ...at, outcome }),
  };
}

/**
 * The error of an attempt that ran out of time.
 * @param option the limit that expired
 * @param reached `waitsFor`: the missing part, if `fetch` was not called. `status`: of the reply, if its headers arrived
 */
export function timedOut(
  request: PreparedRequest,
  option: 'timeoutMs' | 'totalTimeoutMs',
  { waitsFor, status }: { readonly waitsFor: string | undefined; readonly status: number | undefined },
): FailedAttempt {
  const { at, url, [option]: limitMs } = request;
  const reply = status === undefined ? 'no whole reply' : `status ${String(status)} arrived, but not its whole body`;
  return {
    ok: false,
    failure: { kind: waitsFor === undefined ? 'lost' : 'not_sent' },
    toError: (outcome, attempts) =>
      new TimeoutError(
        `${at.method} ${at.route} timed out: ${waitsFor ?? reply} within ${String(limitMs)} ms (${option}, attempt ${String(attempts)}). ` +
          // A server of plain http may wait for a request that TLS never sends.
          (onOwnTlsPort.test(url) && status === undefined
            ? 'Does that port speak TLS, or should baseUrl begin with http:? '
            : '') +
          advice(request, outcome),
        attempts,
        limitMs,
        { ...at, outcome },
      ),
  };
}

/** Returns what a caller should do next. `answer` is `error` if the reply has an error status. */
function advice({ at, operation }: PreparedRequest, outcome: Outcome, answer?: 'error'): string {
  if (outcome === 'not_sent') return 'The service never saw it, so it is safe to call again.';
  if (outcome === 'rejected') return 'The service did not execute it.';
  const isFree = operation.credits === undefined || (operation.retry === 'paid_per_success' && answer === 'error');
  if (!isFree) return 'It may have cost its credit, and calling again may cost another.';
  return at.method === 'GET'
    ? 'It is a read, so it is safe to call again.'
    : 'It may have been executed: check before you call again.';
}

/** A URL that uses TLS on a port other than 443. */
const onOwnTlsPort = /^https:\/\/[^/]*:\d+(?:\/|$)/;
/** The messages of browsers for every network failure: Chromium, Firefox, Safari. */
const inAPage = /^(?:Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed)$/;
/** The server refused the handshake, so it speaks TLS. Some runtimes report it with the code `EPROTO` too. */
const isTlsAlert = /^the TLS connection failed \(.*\balert\b/;
const noTls = /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST))/;

// Codes that prove that the request was never sent. `ConnectionRefused` and `FailedToOpenSocket` are names of Bun.
const wrongHost = /^ERR_TLS_CERT_ALTNAME|^HOSTNAME_MISMATCH/;
const badCertificate = /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_)/;
const otherCertificate = /^(?:ERR_TLS_|UNKNOWN_CERTIFICATE_)/;
const unknownHost = /^(?:ENOTFOUND|EAI_AGAIN)$/;
const closedPort = /^(?:ECONNREFUSED|ConnectionRefused)$/;
/** No connection for another reason, or Node's `fetch` refused the request. */
const notConnected = /^(?:FailedToOpenSocket|UND_ERR_(?:CONNECT_TIMEOUT|INVALID_ARG|NOT_SUPPORTED))$/;

function isNotSent({ kind }: Failure): boolean {
  return kind === 'not_sent' || kind === 'unsendable';
}

/** Returns what the caller can do about a network failure, or an empty text. It quotes no URL. */
function networkHint(error: unknown, url: string, failure: Failure): string {
  const codes = errorCodes(error);
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (has(noTls) && !isTlsAlert.test(networkReason(error))) {
    return 'The server at baseUrl does not speak TLS on that port. Does its address begin with http:, or is the port wrong?';
  }
  if (inAPage.test(networkReason(error))) {
    return "A browser reports no details: the page may be offline, or the server at baseUrl does not allow the page's origin (CORS).";
  }
  // Of several addresses, one may have received the request.
  if (!isNotSent(failure)) return '';
  const proxyStatus = proxyStatusIn(causesOf(error).flat());
  if (proxyStatus !== undefined) return proxyHint(proxyStatus, has);
  if (has(wrongHost)) {
    return 'The certificate is made for another host: check the host of baseUrl.';
  }
  if (has(badCertificate)) {
    return 'The certificate of baseUrl is not trusted: in Node, set NODE_EXTRA_CA_CERTS to a file with its authority.';
  }
  const isLookup = causesOf(error).some((causes) => /^(?:getaddrinfo|query)/.test(syscallOf(causes.at(-1))));
  if (has(unknownHost) || isLookup) {
    return 'The host of baseUrl was not found: check its spelling, and DNS.';
  }
  if (has(closedPort)) {
    return isLoopback(new URL(url).hostname)
      ? 'Nothing listens there: is the emulator running (npx social-publishing emulator), and on that port?'
      : 'Nothing listens there: check the host and the port of baseUrl.';
  }
  return '';
}

function proxyHint(status: number, has: (code: RegExp) => boolean): string {
  if (has(badCertificate) || has(wrongHost))
    return 'The certificate of the proxy is not trusted: check the address of the proxy.';
  if (status === 407) return 'Check the user name and the password in the address of the proxy.';
  if (status === 403) return 'The proxy does not allow the host of baseUrl: ask its operator.';
  return 'Check the address of the proxy, and whether it can reach the host of baseUrl.';
}

export interface FailedReply {
  readonly response: Response;
  readonly text: string;
  readonly redact: Redact;
}

const longestMessage = 1_000;
const longestSnippet = 200;
/** The message lists this number of issues; `issues` has all. */
const mostListedIssues = 5;

/** A reply with a status other than 2xx, or a 2xx reply with `success: false`. */
export function refused(
  request: PreparedRequest,
  { response, text, redact }: FailedReply,
  failure: Failure,
  retryAfterMs?: number,
): FailedAttempt {
  const { at } = request;
  const { status, headers } = response;
  return {
    ok: false,
    failure,
    retryAfterMs,
    toError: (outcome, attempts) => {
      const body = readBodyValue(text);
      const { form, said } = readErrorForm(body, redact);
      const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${String(Math.ceil(retryAfterMs / 1_000))} s.`;
      const next =
        outcome === 'unknown' ? ` ${status === 409 ? conflictAdvice(request) : advice(request, outcome, 'error')}` : '';
      const verdict = outcome === 'unknown' ? 'was answered' : 'was refused';
      const message = `${at.method} ${at.route} ${verdict} with status ${String(status)}${oneLine(said)}.${wait}${next}`;
      const ErrorOfStatus = errorClasses[status] ?? (status >= 500 ? ServerError : ApiError);
      return new ErrorOfStatus(message, { ...at, outcome, attempts, retryAfterMs, status, headers, body, form });
    },
  };
}

const errorClasses: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  429: RateLimitError,
};

export function redirected(request: PreparedRequest, response: Response, redact: Redact): FailedAttempt {
  const { at } = request;
  const { status, headers } = response;
  const origin = originOf(headers.get('location'), response.url);
  const locationOrigin = origin === undefined ? undefined : redact(origin);
  return {
    ok: false,
    // A browser hides the status of a redirect (0), so it doesn't show whether a write was executed.
    failure: { kind: 'status', status: status === 0 ? 303 : status },
    toError: (outcome, attempts) => {
      const to = locationOrigin === undefined ? '' : ` to ${locationOrigin}`;
      const doubt = outcome === 'unknown' ? ` ${advice(request, outcome, 'error')}` : '';
      return new RedirectError(
        `${at.method} ${at.route} was answered with a redirect${to} (status ${String(status)}).${doubt} It was not followed, because the ` +
          'access key would go with it. Set baseUrl to the address of the service.',
        { ...at, outcome, attempts, status, headers, body: undefined, form: 'other', locationOrigin },
      );
    },
  };
}

/** A 2xx reply that differs from the documented one. */
export function unreadable(
  request: PreparedRequest,
  { response, text, redact }: FailedReply,
  wrong: { readonly problem: string; readonly issues?: readonly Issue[]; readonly cause?: unknown },
): FailedAttempt {
  const { at } = request;
  const { problem, cause } = wrong;
  // Field names, and texts of a caller's schema, can contain anything that the service sent.
  const issues = (wrong.issues ?? []).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redact(part) : part)),
    message: redact(message),
  }));
  const { status } = response;
  const contentType = redact(response.headers.get('content-type') ?? '') || undefined;
  const said = issues.length === 0 ? problem : `${problem}: ${formatIssues(issues, mostListedIssues, 'the reply')}`;
  return {
    ok: false,
    failure: { kind: 'unreadable' },
    toError: (outcome) => {
      const answered = `${at.method} ${at.route} was answered with status ${String(status)}, but ${said}.`;
      return new ResponseError(redact(`${answered} rawBody contains it. ${advice(request, outcome)}`), {
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
export function differs(
  request: PreparedRequest,
  reply: FailedReply,
  drifts: readonly Pick<DriftInfo, 'path' | 'expected' | 'received'>[],
): FailedAttempt {
  const issues = drifts.map(({ path, expected, received }) =>
    issueAt(path.split('.'), `is documented as ${expected}, but arrived as ${received}`),
  );
  return unreadable(request, reply, { problem: 'it differs from the API document (strictResponses)', issues });
}

/** A 409 to a create often means that the service has an equal post. */
function conflictAdvice(request: PreparedRequest): string {
  const { method, route } = request.at;
  if (method !== 'POST' || route !== '/v1/posts/') return advice(request, 'unknown', 'error');
  return 'The service may already have an equal post: search for it with posts.reconcile or posts.list before you create it again.';
}

function originOf(location: string | null, base: string): string | undefined {
  const origin = location === null ? undefined : parseUrl(location, base || undefined)?.origin;
  return origin === 'null' ? undefined : origin;
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
  const fields: Fields = isFields(body) ? body : {};
  for (const form of ['message', 'error'] as const) {
    const said = fields[form];
    if (typeof said === 'string') return { form, said: hideSecretFields(redact(said)) };
  }
  // Redacted before it is cut: half a secret would not match.
  const text = redact(typeof body === 'string' ? hideSecretFields(body) : JSON.stringify(redactValue(body, String)));
  return { form: 'other', said: text.length > longestSnippet ? shortText(text, longestSnippet - 1) : text };
}

/** The service's text goes into logs and terminals: one line, no control characters, limited length. */
function oneLine(text: string): string {
  const clean = text
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  if (clean === '') return '';
  return `: ${shortText(clean, longestMessage)}`;
}

/** System calls before the first byte. After them, codes such as ECONNRESET or ETIMEDOUT prove nothing. */
const beforeSending = /^(?:connect|bind|getaddrinfo|query[A-Z]\w*)$/;

/**
 * Messages of errors whose codes prove nothing, or that have none. In this order: Node's `fetch` for a port that the Fetch
 * standard blocks; Node, for a connection that ended in the TLS handshake; Bun and Deno, for a connection that was not made.
 */
const notSentMessage =
  /^bad port$|^Client network socket disconnected before secure TLS connection was established|^E\w+: (?:Unable to connect\.|Was there a typo in the url or port\?)|^error sending request for url \(\S*\): client error \(Connect\)|^Fetch failed: Requests to port \d+ are blocked/;
/** The server says that it did not process the stream: Node's `http2`, and `h2` of Deno. */
const refusedStream = /\bNGHTTP2_REFUSED_STREAM\b|: refused stream before processing any application logic/;

/** The server does not support TLS, or no common version. Not only during the handshake: see `isHandshake`. */
const protocol =
  /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED|NO_PROTOCOLS|HTTP_REQUEST|PACKET_LENGTH|.*(?:HANDSHAKE|PROTOCOL_VERSION|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)))/;
/** Thrown in place of a request. */
export const noFetchMessage = 'globalThis.fetch is missing: pass the option fetch';

/** The same, as Deno says it; and an environment without `fetch`. */
const unsendableMessage =
  /^globalThis\.fetch is missing|client error \(Connect\): (?:invalid peer certificate|received corrupt message|received fatal alert)/;

/** The compressed body is broken or incomplete: gzip and deflate, brotli (with Node's double underscore), zstd. */
const brokenCompression = /^(?:Z_(?:DATA|BUF)_ERROR$|ERR__ERROR_|ERR_BROTLI_|ZSTD_error_)/;

/**
 * Classifies a failed attempt by the error that `fetch` threw. An error that proves nothing is `lost`. In a browser,
 * all network errors are equal, so all are `lost`.
 */
export function classifyNetworkError(error: unknown): Failure {
  const all = causesOf(error);
  const proofs = all.map((causes) => proofOf(causes));
  if (proofs.every((proof) => proof !== undefined))
    return { kind: proofs.includes('unsendable') ? 'unsendable' : 'not_sent' };
  if (errorCodes(error).some((code) => brokenCompression.test(code))) return { kind: 'unreadable' };
  return { kind: 'lost' };
}

/** Returns the codes of the innermost errors. */
export function errorCodes(error: unknown): string[] {
  return causesOf(error).map((causes) => codeOf(causes.at(-1)));
}

/**
 * Returns a list for each innermost error, from the outermost cause to it: a host name with several addresses fails with one
 * error per address.
 */
function causesOf(error: unknown, outer: readonly unknown[] = []): (readonly unknown[])[] {
  const causes = [...outer, error];
  if (typeof error !== 'object' || error === null || outer.length > 5) return [causes];
  const { errors, cause } = error as { errors?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((inner) => causesOf(inner, causes));
  return cause === undefined || cause === null ? [causes] : causesOf(cause, causes);
}

/** `not_sent`: another attempt may succeed. `unsendable`: it cannot. `undefined`: the request may have been sent. */
function proofOf(causes: readonly unknown[]): 'not_sent' | 'unsendable' | undefined {
  const proxyStatus = proxyStatusIn(causes);
  const leaf = causes.at(-1);
  const code = codeOf(leaf);
  const text = textOf(leaf);
  const has = (...patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(code));
  const isTls = has(wrongHost, badCertificate, otherCertificate) || (has(protocol) && isHandshake(causes));
  if (isTls || unsendableMessage.test(text)) return 'unsendable';
  if (proxyStatus !== undefined) return proxyStatus >= 500 || proxyStatus === 0 ? 'not_sent' : 'unsendable';
  const isProved =
    has(unknownHost, closedPort, notConnected) ||
    beforeSending.test(syscallOf(leaf)) ||
    notSentMessage.test(text) ||
    refusedStream.test(text);
  return isProved ? 'not_sent' : undefined;
}

/**
 * Whether the error occurred in the TLS handshake. A server that sends plain text later causes the same codes, when the
 * request may already have been executed. The `fetch` of Node and Bun reports them only for the handshake, with these
 * messages; later ones end in a time-out. The behaviour of other implementations is unknown.
 */
function isHandshake(causes: readonly unknown[]): boolean {
  return causes.some(
    (error) =>
      isError(error) &&
      error.name === 'TypeError' &&
      (error.message === 'fetch failed' || error.message.startsWith('EPROTO: The TLS handshake failed')),
  );
}

/**
 * Returns the status with which a proxy refused to open a tunnel to the service; 0 if the error does not show it. undici reports
 * a refusal as an abort. `ERR_PROXY_TUNNEL` is a code of Node's agents and of Bun.
 */
function proxyStatusIn(errors: readonly unknown[]): number | undefined {
  for (const error of errors) {
    const code = codeOf(error);
    const text = textOf(error);
    const [, status] =
      /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling/.exec(text) ??
      (code === 'ERR_PROXY_TUNNEL' ? /(?:tunnel: |HTTP\/1\.\d )(\d{3})\b/.exec(text) : null) ??
      (/client error \(Connect\): proxy authentication required/.test(text) ? ['', '407'] : []);
    const isRefused =
      /^UND_ERR_PRX_|^ERR_PROXY_TUNNEL$/.test(code) || /client error \(Connect\): unsuccessful tunnel/.test(text);
    if (isRefused || status !== undefined) return Number(status ?? 0);
  }
  return undefined;
}

function syscallOf(error: unknown): string {
  const syscall = typeof error === 'object' && error !== null ? (error as { syscall?: unknown }).syscall : undefined;
  return typeof syscall === 'string' ? syscall : '';
}

function textOf(error: unknown): string {
  return isError(error) ? error.message : '';
}

/**
 * Node's TLS errors quote OpenSSL, as in
 * `00DE5A3C:error:0A00010B:SSL routines:tls_validate:wrong version number:../deps/…:77:`.
 * In errors of `node:https`, this text follows `write EPROTO `.
 */
const ofOpenSsl = /(?:^|write EPROTO )(?:[\dA-F]+:)?error:[\dA-F]+:[^:]*:[^:]*:([^:]*)/i;

/**
 * Returns the innermost error's text, which says more than the usual "fetch failed". Of several, the text of an error that
 * proves nothing goes first.
 */
export function networkReason(error: unknown): string {
  const all = causesOf(error);
  const proxyStatus = proxyStatusIn(all.flat());
  if (proxyStatus === 0) return 'the proxy did not open a connection';
  if (proxyStatus !== undefined) return `the proxy refused the connection with status ${String(proxyStatus)}`;
  const causes = all.find((one) => proofOf(one) === undefined) ?? all[0];
  const text = textOf(causes?.at(-1)).replace(/\s+/g, ' ').trim();
  const [, reason] = ofOpenSsl.exec(text) ?? [];
  if (reason !== undefined) return `the TLS connection failed (${reason})`;
  return text === '' ? 'the connection failed' : text;
}
