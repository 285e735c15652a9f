import type { Failure } from './retry.js';

/** Errors that prove that a request was never sent: no connection came about. `ConnectionRefused` is Bun's name for it. */
const notSent = new Set(['ECONNREFUSED', 'ConnectionRefused', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** The other side's certificate or protocol was refused in the handshake. */
const tls =
  /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH|EPROTO$|ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED|NO_PROTOCOLS|HTTP_REQUEST|PACKET_LENGTH|.*HANDSHAKE))/;

/** The compressed body itself is broken or incomplete: gzip and deflate, brotli (Node's odd spelling), zstd. */
const brokenCompression = /^(?:Z_(?:DATA|BUF)_ERROR$|ERR__ERROR_|ERR_BROTLI_|ZSTD_error_)/;

/**
 * Tells how an attempt failed from what `fetch` threw. Everything that proves nothing is `lost`; in a browser, where all
 * network errors look the same, that is all of them.
 */
export function classifyNetworkError(error: unknown): Failure {
  const leaves = leafErrors(error, 0);
  const codes = leaves.map((leaf) => codeOf(leaf));
  if (codes.length > 0 && leaves.every((leaf) => isNotSent(leaf))) return { kind: 'not_sent' };
  if (codes.some((code) => tls.test(code))) return { kind: 'tls' };
  if (codes.some((code) => brokenCompression.test(code))) return { kind: 'unreadable' };
  return { kind: 'lost' };
}

/** The innermost errors: a name with several addresses fails with one error for each. */
function leafErrors(error: unknown, depth: number): unknown[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [error];
  const { errors, cause } = error as { errors?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((inner) => leafErrors(inner, depth + 1));
  return cause === undefined || cause === null ? [error] : leafErrors(cause, depth + 1);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function isNotSent(error: unknown): boolean {
  const code = codeOf(error);
  // ETIMEDOUT is a connect time-out only where connecting is what timed out.
  return notSent.has(code) || (code === 'ETIMEDOUT' && (error as { syscall?: unknown }).syscall === 'connect');
}

/** The innermost error's own words, which say more than the usual "fetch failed". */
export function networkReason(error: unknown): string {
  const [leaf] = leafErrors(error, 0);
  const text = leaf instanceof Error ? leaf.message : '';
  return text === '' ? 'the connection failed' : text;
}
