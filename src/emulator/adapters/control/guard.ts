import { isOwnName } from '../host-names.js';
import { Refusal } from './refusal.js';
import { parseUrl } from '../../../core/parse-url.js';

/**
 * Refuses requests that a page of another origin could send through a browser. The control API requires no key. A page
 * on the Internet must not reach it under a name that resolves to this computer (DNS rebinding). It must not send
 * requests to it blindly either.
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

/** Returns the hosts in a request. Behind a proxy, its URL can name another host than its header. */
function namesIn({ url, headers }: Request): string[] {
  return [new URL(url).host, headers.get('host')].filter((name) => name !== null);
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

/** Returns the host of an origin with its port; empty for an origin without a host, such as `null`. */
function hostOf(origin: string): string {
  return parseUrl(origin)?.host ?? '';
}
