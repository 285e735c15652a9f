import { isOwnName } from '../host-names.js';
import { Refusal } from './refusal.js';

/**
 * Refuses what a page of another origin could make a browser send. The control API asks for no key. So a page on the Internet
 * must not reach it by a name of its own that leads to this computer (DNS rebinding), and must not send to it blindly.
 * @param host the address that the server listens on
 * @throws Refusal
 */
export function guard(request: Request, host: string): void {
  for (const name of namesIn(request)) {
    if (!isOwnName(hostName(name), host))
      throw new Refusal(403, 'The control API is not served under this Host. Call it as localhost or 127.0.0.1.');
  }
  refuseOtherOrigins(request);
}

/**
 * Refuses requests that pages of another origin send.
 * @throws Refusal
 */
export function refuseOtherOrigins(request: Request): void {
  const origin = request.headers.get('origin');
  if (origin !== null && !namesIn(request).includes(hostOf(origin)))
    throw new Refusal(403, 'The control API refuses requests from pages of another origin.');
}

/** The hosts that a request names. Behind a proxy, its URL can name another one than its header. */
function namesIn({ url, headers }: Request): string[] {
  return [new URL(url).host, headers.get('host')].filter((name) => name !== null);
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

/** The host of an origin with its port; empty for an origin without a host, such as `null`. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
