import type { Failure } from './retry.js';

/**
 * Errors that prove that a request was never sent: there was no connection (`ConnectionRefused` is Bun's name for it),
 * or Node's `fetch` refused the request.
 */
const notSent = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
]);
/** The message of Node's `fetch` for a port that the Fetch standard blocks. It has no code. */
const blockedPort = 'bad port';

/** The other side's certificate was refused. Nothing was sent before that. */
const certificate =
  /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH)/;

/** The server does not support TLS, or no common version. Not only during the handshake: see `isHandshake`. */
const protocol =
  /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED|NO_PROTOCOLS|HTTP_REQUEST|PACKET_LENGTH|.*(?:HANDSHAKE|PROTOCOL_VERSION|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)))/;

/** The compressed body is broken or incomplete: gzip and deflate, brotli (with Node's double underscore), zstd. */
const brokenCompression = /^(?:Z_(?:DATA|BUF)_ERROR$|ERR__ERROR_|ERR_BROTLI_|ZSTD_error_)/;

/**
 * Classifies a failed attempt by the error that `fetch` threw. An error that proves nothing is `lost`. In a browser,
 * all network errors are equal, so all are `lost`.
 */
export function classifyNetworkError(error: unknown): Failure {
  const leaves = leafErrors(error, 0);
  const codes = leaves.map((leaf) => codeOf(leaf));
  if (leaves.every((leaf) => isNotSent(leaf))) return { kind: 'not_sent' };
  if (codes.some((code) => certificate.test(code) || (protocol.test(code) && isHandshake(error, 0))))
    return { kind: 'tls' };
  if (codes.some((code) => brokenCompression.test(code))) return { kind: 'unreadable' };
  return { kind: 'lost' };
}

export function errorCodes(error: unknown): string[] {
  return leafErrors(error, 0).map((leaf) => codeOf(leaf));
}

/** The innermost errors, at least one: a host name with several addresses fails with one error per address. */
function leafErrors(error: unknown, depth: number): unknown[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [error];
  const { errors, cause } = error as { errors?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((inner) => leafErrors(inner, depth + 1));
  return cause === undefined || cause === null ? [error] : leafErrors(cause, depth + 1);
}

/**
 * Whether the error occurred in the TLS handshake. A server that sends plain text later causes the same codes, when the
 * request may already have been executed. Node's `fetch` reports them only for the handshake, with these messages;
 * later ones end in a time-out. The behaviour of other implementations is unknown.
 */
function isHandshake(error: unknown, depth: number): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  return (error instanceof TypeError && error.message === 'fetch failed') || isHandshake(error.cause, depth + 1);
}

/** Reads errors of other realms too, which a replacement of `fetch` can throw. */
function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function isNotSent(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '') return error instanceof Error && error.message === blockedPort;
  // ETIMEDOUT is a connect time-out only if the system call is `connect`.
  return notSent.has(code) || (code === 'ETIMEDOUT' && (error as { syscall?: unknown }).syscall === 'connect');
}

/**
 * Node's TLS errors quote OpenSSL, as in
 * `00DE5A3C:error:0A00010B:SSL routines:tls_validate:wrong version number:../deps/…:77:`.
 * In errors of `node:https`, this text follows `write EPROTO `.
 */
const ofOpenSsl = /(?:^|write EPROTO )(?:[\dA-F]+:)?error:[\dA-F]+:[^:]*:[^:]*:([^:]*)/i;

/** Returns the innermost error's text, which says more than the usual "fetch failed". */
export function networkReason(error: unknown): string {
  const [leaf] = leafErrors(error, 0);
  const text = leaf instanceof Error ? leaf.message.replace(/\s+/g, ' ').trim() : '';
  const [, reason] = ofOpenSsl.exec(text) ?? [];
  if (reason !== undefined) return `the TLS connection failed (${reason})`;
  return text === '' ? 'the connection failed' : text;
}
