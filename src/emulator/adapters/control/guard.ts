import { optional, type OptionCheck } from '../../../core/call/options.js';
import { isLoopback, parseUrl } from '../../../core/parse-url.js';
import { parseJson } from '../../../core/json.js';

/**
 * Refuses requests that a page of another origin could send through a browser. The control API requires no key. A page
 * on the Internet must not reach it under a name that resolves to this computer (DNS rebinding). It must not send
 * requests to it blindly either.
 * @param host the address that the server listens on
 * @throws Refusal
 */
export function guard(request: Request, host: string): void {
  for (const name of namesIn(request)) {
    if (!isOwnName(name.toLowerCase().replace(/:\d*$/, ''), host))
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
  // An origin such as `null` has no host.
  if (origin !== null && !namesIn(request).includes(parseUrl(origin)?.host ?? ''))
    throw new Refusal(403, 'The control API refuses requests from pages of another origin.');
}

/**
 * Whether a request is a poll of the console, which is not recorded and meets no fault. Only the console may hide its
 * requests: a browser sets `Sec-Fetch-Site` itself, and no page can change it.
 */
export function isBackground(header: (name: string) => unknown): boolean {
  return (header('x-emulator-background') ?? null) !== null && header('sec-fetch-site') === 'same-origin';
}

/** Accepts an origin, or an array of origins. */
/* @__NO_SIDE_EFFECTS__ */
export function isOrigins(example: string): OptionCheck {
  const isOrigin = (value: unknown) => typeof value === 'string' && parseUrl(value)?.origin === value;
  return optional(`an origin such as ${example}, or an array of origins`, (value) => [value].flat().every(isOrigin));
}

/** Returns the hosts in a request. Behind a proxy, its URL can name another host than its header. */
function namesIn({ url, headers }: Request): string[] {
  return [new URL(url).host, headers.get('host')].filter((name) => name !== null);
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 403 | 404 | 405;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Refusal['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

/** Reads a query string: each parameter once, whole numbers as numbers. */
export function queryOf(search: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of search) {
    if (Object.hasOwn(query, name)) throw new Refusal(400, `The query contains ${name} more than once.`);
    query[name] = /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return query;
}

/** Addresses that mean every network interface: a server that listens on one has no host name. */
const anyAddress: readonly string[] = ['0.0.0.0', '::', '[::]'];

const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;
/** A name without a dot, as containers have. Strangers cannot register such a name. */
const plainName = /^[\w-]+$/;

/**
 * Whether a host name can only mean this server. Another name may belong to a stranger and resolve to this server (DNS
 * rebinding).
 * @param address the address that the server listens on
 */
export function isOwnName(name: string, address: string): boolean {
  const own = address.toLowerCase();
  if (isLoopback(name) || name === own || name === `[${own}]`) return true;
  return anyAddress.includes(address) && (ipAddress.test(name) || plainName.test(name));
}
