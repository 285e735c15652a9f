import { Refusal } from './refusal.js';

/** Addresses that mean every network interface: a server that listens on one has no name of its own. */
const anyAddress: readonly string[] = ['0.0.0.0', '::', '[::]'];

const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;
/** A name without a dot, as containers have: no such name can be registered by a stranger. */
const plainName = /^[\w-]+$/;

/**
 * Refuses what a page of another origin could make a browser send. The control API asks for no key, so that a page on the
 * Internet must neither reach it by a name of its own that leads to this computer (DNS rebinding), nor send to it blindly.
 * @param host the address that the server was told to listen on
 * @throws Refusal
 */
export function guard(request: Request, host: string): void {
  const named = [new URL(request.url).host, request.headers.get('host')].filter((name) => name !== null);
  for (const name of named) {
    if (!isOwn(hostName(name), host))
      throw new Refusal(403, 'The control API is not served under this Host. Call it by localhost or 127.0.0.1.');
  }
  const origin = request.headers.get('origin');
  if (origin !== null && !named.includes(hostOf(origin)))
    throw new Refusal(403, 'The control API takes no requests of pages of another origin.');
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

function isOwn(name: string, host: string): boolean {
  if (loopback.test(name) || name === host.toLowerCase() || name === `[${host.toLowerCase()}]`) return true;
  return anyAddress.includes(host) && (ipAddress.test(name) || plainName.test(name));
}

/** The host of an origin with its port; an empty text where it has none, as `null` has. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
