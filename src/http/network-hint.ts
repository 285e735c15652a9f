import { errorCodes, networkReason } from './network-error.js';

/** What browsers say of every failure of the network: Chromium, Firefox, Safari. */
const inAPage = /^(?:Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed)$/;
const noTls = /^(?:EPROTO$|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST))/;
const badCertificate = /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_)/;

/** What the caller can do about a network failure, where its kind tells; else nothing. It quotes no URL. */
export function networkHint(error: unknown, url: string): string {
  const codes = errorCodes(error);
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (has(noTls)) {
    return 'What answers at baseUrl does not speak TLS there: does its address begin with http:, or is its port another one?';
  }
  if (has(/^ERR_TLS_CERT_ALTNAME|^HOSTNAME_MISMATCH/)) {
    return 'The certificate is made for another host: check the host of baseUrl.';
  }
  if (has(badCertificate)) {
    return 'The certificate of baseUrl is not trusted: in Node, NODE_EXTRA_CA_CERTS names a file with further ones.';
  }
  if (has(/^(?:ENOTFOUND|EAI_AGAIN)$/)) return 'The host of baseUrl was not found: check its spelling, and DNS.';
  if (has(/^(?:ECONNREFUSED|ConnectionRefused)$/)) {
    return isLoopback(new URL(url).hostname)
      ? 'Nothing listens there: is the emulator running (npx -p social-publishing social-publishing-emulator), and on that port?'
      : 'Nothing listens there: check the host and the port of baseUrl.';
  }
  if (inAPage.test(networkReason(error))) {
    return "A browser tells no more: the page may be offline, or the server at baseUrl does not allow the page's origin (CORS).";
  }
  return '';
}

/** Whether a URL asks for TLS on a port that is not its usual one. */
export function hasOwnTlsPort(url: string): boolean {
  return /^https:\/\/[^/]*:\d+(?:\/|$)/.test(url);
}

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
