import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parseUrl, isLoopback } from '../../core/parse-url.js';
import { isOwnName, Refusal } from './control/guard.js';

/** Methods that `fetch` cannot send and `Request` cannot represent. */
const forbiddenMethods: readonly string[] = ['TRACE', 'TRACK', 'CONNECT'];

/**
 * Converts a Node request into a `Request`.
 * @throws Refusal if the request is malformed
 */
export async function toRequest(incoming: IncomingMessage, signal: AbortSignal | null = null): Promise<Request> {
  const { method = 'GET', headers } = incoming;
  const body = await buffer(incoming);
  if (forbiddenMethods.includes(method)) throw new Refusal(405, `The method ${method} is not supported.`);
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((part): [string, string] => [name, part]),
  );
  return new Request(addressOf(incoming), {
    method,
    headers: entries,
    signal,
    ...(method === 'GET' || method === 'HEAD' || body.length === 0 ? {} : { body }),
  });
}

function addressOf({ url: target = '/', headers: { host = '127.0.0.1' } }: IncomingMessage): URL {
  const base = `http://${host}`;
  if (!/^[^\s/?#@\\]+$/.test(host) || parseUrl(base) === undefined)
    throw new Refusal(400, 'The Host header names no host.');
  // Joined as text: with a base, a target that begins with two slashes would name a host.
  const address = target.startsWith('/') ? `${base}${target}` : target;
  const url = target === '*' ? undefined : parseUrl(address);
  if (url === undefined) throw new Refusal(400, 'The target of the request is not a URL.');
  if (url.username !== '' || url.password !== '')
    throw new Refusal(400, 'The target of the request contains a user name. Send the key in the header x-access-key.');
  return url;
}

export interface CorsRules {
  readonly host: string;
  /** Origins that may call it, in addition to loopback origins. */
  readonly origins: readonly string[];
}

/**
 * Adds the CORS headers of a reply.
 * @returns the reason of a refusal, or `undefined`
 */
export function addCorsHeaders(
  { headers: { origin, host } }: IncomingMessage,
  outgoing: ServerResponse,
  rules: CorsRules,
): string | undefined {
  outgoing.setHeader('vary', 'origin');
  if (origin === undefined) return undefined;
  if (!isAllowed(origin, host, rules)) return refusalOf(origin);
  outgoing.setHeader('access-control-allow-origin', origin);
  outgoing.setHeader('access-control-expose-headers', '*');
  return undefined;
}

function isAllowed(origin: string, host: string | undefined, rules: CorsRules): boolean {
  if (rules.origins.includes(origin)) return true;
  const url = parseUrl(origin);
  if (url === undefined) return false;
  return isLoopback(url.hostname) || (url.host === host && isOwnName(url.hostname, rules.host));
}

function refusalOf(origin: string): string {
  return origin === 'null'
    ? 'The emulator does not answer pages without an origin, such as local files. Serve the page from http://localhost.'
    : `The emulator does not answer pages of ${origin}. To allow them, start it with --cors ${origin}, or pass cors to serveEmulator.`;
}

/** Returns the headers of the reply to a preflight request; `undefined` for any other request. */
export function preflightHeaders({ method, headers }: IncomingMessage): Record<string, string> | undefined {
  const { origin, 'access-control-request-method': wanted } = headers;
  if (method !== 'OPTIONS' || origin === undefined || wanted === undefined) return undefined;
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '600',
    vary: 'origin, access-control-request-headers',
  };
}
