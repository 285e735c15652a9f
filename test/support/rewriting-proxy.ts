import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.js';

/** How a service behaves differently from the emulator. */
export interface Mood {
  /** Changes the JSON of each reply. */
  readonly rewrite?: (body: string) => string;
  /** Sends replies without `Date`. */
  readonly noDate?: boolean;
  /** Removes fields of the query before the service gets it. */
  readonly ignores?: readonly string[];
}

/** Serves another server's replies in a mood, until the test ends. */
export function serveInMood(origin: string, { rewrite = (body) => body, noDate = false, ignores = [] }: Mood) {
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = !noDate;
    void (async () => {
      const body = await text(request);
      const url = new URL(request.url ?? '', origin);
      for (const name of ignores) url.searchParams.delete(name);
      const { method = 'GET' } = request;
      const reply = await fetch(url, {
        method,
        headers: { 'x-access-key': String(request.headers['x-access-key']), 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body }),
      });
      // The service's clock stands still between two steps, and this server's does not.
      const date = noDate ? {} : { date: reply.headers.get('date') ?? '' };
      response.writeHead(reply.status, { 'content-type': 'application/json', ...date });
      response.end(rewrite(await reply.text()));
    })().catch(() => {
      response.destroy();
    });
  });
  return listening(server);
}
