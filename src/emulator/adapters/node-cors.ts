import type { IncomingMessage } from 'node:http';

/** Lets pages under development call the service, and read all of its reply headers. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

/** The reply to a browser that asks whether a page may send a request; `undefined` where nobody asks. */
export function preflightHeaders({ method, headers }: IncomingMessage): Record<string, string> | undefined {
  const { origin, 'access-control-request-method': wanted } = headers;
  if (method !== 'OPTIONS' || origin === undefined || wanted === undefined) return undefined;
  return {
    ...corsHeaders,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '600',
    vary: 'access-control-request-headers',
  };
}
