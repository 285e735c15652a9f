import { ConnectionError, TimeoutError, type Outcome } from '../core/errors.js';
import { isLoopback } from '../core/loopback.js';
import {
  classifyNetworkError,
  errorCodes,
  isLookup,
  networkReason,
  proxyRefusal,
  type ProxyRefusal,
} from './network-error.js';
import type { PreparedCall } from './prepared-call.js';
import type { Redact } from '../core/redactor.js';
import type { FailedAttempt, Failure } from './retry.js';
import { hasOwnTlsPort } from './url.js';

/** The error of an attempt without a complete reply. */
export function networkFailure(
  error: unknown,
  call: PreparedCall<unknown>,
  redact: Redact,
  failure: Failure = classifyNetworkError(error),
): FailedAttempt {
  const { at } = call;
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) => {
      const got = isNotSent(failure) ? 'could not be sent' : 'got no whole reply';
      const reason = redact(networkReason(error)).replace(/\.$/, '');
      const hint = networkHint(error, call.url, failure);
      const next = hint === '' ? advice(call, outcome) : `${hint} ${advice(call, outcome)}`;
      const message = `${at.method} ${at.route} ${got} (attempt ${String(attempts)}): ${reason}. ${next}`;
      return new ConnectionError(message, attempts, { ...at, outcome, cause: error, redact });
    },
  };
}

export interface Limit {
  readonly option: 'timeoutMs' | 'totalTimeoutMs';
  readonly limitMs: number;
}

/** What an attempt reached before its time was over. */
export interface Reached {
  /** The missing part, if `fetch` was not called. */
  readonly waitsFor: string | undefined;
  /** The status, if the headers of the reply arrived. */
  readonly status: number | undefined;
}

/** The error of an attempt that ran out of time. */
export function timedOut(
  call: PreparedCall<unknown>,
  { option, limitMs }: Limit,
  { waitsFor, status }: Reached,
): FailedAttempt {
  const { at } = call;
  const reply = status === undefined ? 'no whole reply' : `status ${String(status)} arrived, but not its whole body`;
  return {
    ok: false,
    failure: { kind: waitsFor === undefined ? 'lost' : 'not_sent' },
    toError: (outcome, attempts) =>
      new TimeoutError(
        `${at.method} ${at.route} timed out: ${waitsFor ?? reply} within ${String(limitMs)} ms (${option}, attempt ${String(attempts)}). ` +
          // A server of plain http may wait for a request that TLS never sends.
          (hasOwnTlsPort(call.url) && status === undefined
            ? 'Does that port speak TLS, or should baseUrl begin with http:? '
            : '') +
          advice(call, outcome),
        attempts,
        limitMs,
        { ...at, outcome },
      ),
  };
}

/** Returns what a caller should do next. `answer` is `error` if the reply has an error status. */
export function advice({ at, operation }: PreparedCall<unknown>, outcome: Outcome, answer?: 'error'): string {
  if (outcome === 'not_sent') return 'The service never saw it, so it is safe to call again.';
  if (outcome === 'rejected') return 'The service did not execute it.';
  const isFree = operation.credits === undefined || (operation.retry === 'paid_per_success' && answer === 'error');
  if (!isFree) return 'It may have cost its credit, and calling again may cost another.';
  return at.method === 'GET'
    ? 'It is a read, so it is safe to call again.'
    : 'It may have been executed: check before you call again.';
}

/** The messages of browsers for every network failure: Chromium, Firefox, Safari. */
const inAPage = /^(?:Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed)$/;
/** The server refused the handshake, so it speaks TLS. Some runtimes report it with the code `EPROTO` too. */
const isTlsAlert = /^the TLS connection failed \(.*\balert\b/;
const noTls = /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST))/;
const wrongHost = /^ERR_TLS_CERT_ALTNAME|^HOSTNAME_MISMATCH/;
const badCertificate = /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_)/;

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
  const refusal = proxyRefusal(error);
  if (refusal !== undefined) return proxyHint(refusal, has);
  if (has(wrongHost)) {
    return 'The certificate is made for another host: check the host of baseUrl.';
  }
  if (has(badCertificate)) {
    return 'The certificate of baseUrl is not trusted: in Node, set NODE_EXTRA_CA_CERTS to a file with its authority.';
  }
  if (has(/^(?:ENOTFOUND|EAI_AGAIN)$/) || isLookup(error)) {
    return 'The host of baseUrl was not found: check its spelling, and DNS.';
  }
  if (has(/^(?:ECONNREFUSED|ConnectionRefused)$/)) {
    return isLoopback(new URL(url).hostname)
      ? 'Nothing listens there: is the emulator running (npx social-publishing emulator), and on that port?'
      : 'Nothing listens there: check the host and the port of baseUrl.';
  }
  return '';
}

function proxyHint({ status }: ProxyRefusal, has: (code: RegExp) => boolean): string {
  if (has(badCertificate) || has(wrongHost))
    return 'The certificate of the proxy is not trusted: check the address of the proxy.';
  if (status === 407) return 'Check the user name and the password in the address of the proxy.';
  if (status === 403) return 'The proxy does not allow the host of baseUrl: ask its operator.';
  return 'Check the address of the proxy, and whether it can reach the host of baseUrl.';
}
