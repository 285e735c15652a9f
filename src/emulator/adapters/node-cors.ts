import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../../core/loopback.js';
import { parseUrl } from '../../core/parse-url.js';
import { isOwnName } from './host-names.js';

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
