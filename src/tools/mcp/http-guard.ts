import { timingSafeEqual, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseUrl } from '../../core/parse-url.js';

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the reply to a request that must not be served: another path, a page of another site, or a wrong token. Pages
 * could send requests through the user's browser.
 */
export function refusalOf({ url = '', headers }: IncomingMessage, token: string): Response | undefined {
  const { host, origin, authorization = '' } = headers;
  // A name of another site that resolves to this machine arrives with its own Host header.
  if (host === undefined || !isLoopback(`http://${host}`))
    return refused(403, 'The Host header must name this machine.');
  if (origin !== undefined && !isLoopback(origin)) return refused(403, 'Pages of other origins are not served.');
  if (!isToken(authorization, token)) {
    return refused(401, 'Send the header Authorization: Bearer TOKEN.', { 'www-authenticate': 'Bearer' });
  }
  return url.split('?')[0] === '/mcp' ? undefined : refused(404, 'The path is /mcp.');
}

function isLoopback(origin: string): boolean {
  return loopback.has(parseUrl(origin)?.hostname ?? '');
}

/** Compares digests, so that the time shows neither the length nor the first wrong character. */
function isToken(authorization: string, token: string): boolean {
  const [, sent] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

function refused(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
}
