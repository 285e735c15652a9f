import type { Failure } from './retry.js';

/**
 * Codes that prove that a request was never sent: there was no connection (`ConnectionRefused` and `FailedToOpenSocket` are
 * names of Bun), or Node's `fetch` refused the request.
 */
const notSent = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
]);
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

/** The other side's certificate was refused. Nothing was sent before that. */
const certificate =
  /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH|UNKNOWN_CERTIFICATE_)/;

/** The server does not support TLS, or no common version. Not only during the handshake: see `isHandshake`. */
const protocol =
  /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED|NO_PROTOCOLS|HTTP_REQUEST|PACKET_LENGTH|.*(?:HANDSHAKE|PROTOCOL_VERSION|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)))/;
/** The same, as Deno says it. */
const unsendableMessage =
  /client error \(Connect\): (?:invalid peer certificate|received corrupt message|received fatal alert)/;

/** The compressed body is broken or incomplete: gzip and deflate, brotli (with Node's double underscore), zstd. */
const brokenCompression = /^(?:Z_(?:DATA|BUF)_ERROR$|ERR__ERROR_|ERR_BROTLI_|ZSTD_error_)/;

/** An error and its causes, from the outermost to the innermost. */
type Causes = readonly [unknown, ...unknown[]];

/**
 * Classifies a failed attempt by the error that `fetch` threw. An error that proves nothing is `lost`. In a browser,
 * all network errors are equal, so all are `lost`.
 */
export function classifyNetworkError(error: unknown): Failure {
  const all = causesOf(error);
  const proofs = all.map((causes) => proofOf(causes));
  if (proofs.every((proof) => proof !== undefined))
    return { kind: proofs.includes('unsendable') ? 'unsendable' : 'not_sent' };
  if (all.some((causes) => brokenCompression.test(codeOf(innermost(causes))))) return { kind: 'unreadable' };
  return { kind: 'lost' };
}

export function errorCodes(error: unknown): string[] {
  return causesOf(error).map((causes) => codeOf(innermost(causes)));
}

/** Whether a host name was not resolved. */
export function isLookup(error: unknown): boolean {
  return causesOf(error).some((causes) => /^(?:getaddrinfo|query)/.test(syscallOf(innermost(causes))));
}

/** How a proxy refused to open a tunnel to the service. */
export interface ProxyRefusal {
  /** The status of its reply to CONNECT, if the error shows it. */
  readonly status: number | undefined;
}

/** Returns the refusal of a proxy, if the error reports one. */
export function proxyRefusal(error: unknown): ProxyRefusal | undefined {
  return causesOf(error)
    .map((causes) => refusalOf(causes))
    .find((refusal) => refusal !== undefined);
}

/** Returns a list for each innermost error: a host name with several addresses fails with one error per address. */
function causesOf(error: unknown, outer: readonly unknown[] = []): Causes[] {
  const causes: Causes = [...outer, error] as unknown as Causes; // It ends with `error`.
  if (typeof error !== 'object' || error === null || outer.length > 5) return [causes];
  const { errors, cause } = error as { errors?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((inner) => causesOf(inner, causes));
  return cause === undefined || cause === null ? [causes] : causesOf(cause, causes);
}

function innermost(causes: Causes): unknown {
  return causes.at(-1);
}

/** `not_sent`: another attempt may succeed. `unsendable`: it cannot. `undefined`: the request may have been sent. */
function proofOf(causes: Causes): 'not_sent' | 'unsendable' | undefined {
  const refusal = refusalOf(causes);
  const leaf = innermost(causes);
  const code = codeOf(leaf);
  const text = textOf(leaf);
  const isTls = certificate.test(code) || (protocol.test(code) && isHandshake(causes));
  if (isTls || unsendableMessage.test(text)) return 'unsendable';
  if (refusal !== undefined) return (refusal.status ?? 502) >= 500 ? 'not_sent' : 'unsendable';
  const isProved =
    notSent.has(code) || beforeSending.test(syscallOf(leaf)) || notSentMessage.test(text) || refusedStream.test(text);
  return isProved ? 'not_sent' : undefined;
}

/**
 * Whether the error occurred in the TLS handshake. A server that sends plain text later causes the same codes, when the
 * request may already have been executed. The `fetch` of Node and Bun reports them only for the handshake, with these
 * messages; later ones end in a time-out. The behaviour of other implementations is unknown.
 */
function isHandshake(causes: Causes): boolean {
  return causes.some(
    (error) =>
      error instanceof TypeError &&
      (error.message === 'fetch failed' || error.message.startsWith('EPROTO: The TLS handshake failed')),
  );
}

/** undici reports a refusal as an abort. `ERR_PROXY_TUNNEL` is a code of Node's agents and of Bun. */
function refusalOf(causes: Causes): ProxyRefusal | undefined {
  for (const error of causes) {
    const code = codeOf(error);
    const text = textOf(error);
    const [, status] =
      /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling/.exec(text) ??
      (code === 'ERR_PROXY_TUNNEL' ? /(?:tunnel: |HTTP\/1\.\d )(\d{3})\b/.exec(text) : null) ??
      (/client error \(Connect\): proxy authentication required/.test(text) ? ['', '407'] : []);
    const isRefused =
      /^UND_ERR_PRX_|^ERR_PROXY_TUNNEL$/.test(code) || /client error \(Connect\): unsuccessful tunnel/.test(text);
    if (isRefused || status !== undefined) return { status: status === undefined ? undefined : Number(status) };
  }
  return undefined;
}

/** Reads errors of other realms too, which a replacement of `fetch` can throw. */
function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function syscallOf(error: unknown): string {
  const syscall = typeof error === 'object' && error !== null ? (error as { syscall?: unknown }).syscall : undefined;
  return typeof syscall === 'string' ? syscall : '';
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
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
  const refusal = proxyRefusal(error);
  if (refusal?.status !== undefined) return `the proxy refused the connection with status ${String(refusal.status)}`;
  if (refusal !== undefined) return 'the proxy did not open a connection';
  const all = causesOf(error);
  const causes = all.find((one) => proofOf(one) === undefined) ?? all[0];
  const text = textOf(causes?.at(-1)).replace(/\s+/g, ' ').trim();
  const [, reason] = ofOpenSsl.exec(text) ?? [];
  if (reason !== undefined) return `the TLS connection failed (${reason})`;
  return text === '' ? 'the connection failed' : text;
}
