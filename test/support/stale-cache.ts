import { createServer } from 'node:http';
import { listening } from './listening.js';

/**
 * Serves another server's replies as a cache does that stored them an hour ago: with an old `Date`, and an `Age`. It ends
 * with the test.
 */
export function serveThroughCache(origin: string) {
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // The control API of an emulator has a stream of events, which no cache stores.
    if (request.url?.startsWith('/v1/') !== true) {
      response.writeHead(404).end();
      return;
    }
    void (async () => {
      const key = request.headers['x-access-key'];
      const reply = await fetch(origin + (request.url ?? ''), { headers: { 'x-access-key': String(key) } });
      const date = Date.parse(reply.headers.get('date') ?? '') - 3_600_000;
      response.writeHead(reply.status, {
        'content-type': 'application/json',
        date: new Date(date).toUTCString(),
        age: '3600',
      });
      response.end(await reply.text());
    })().catch(() => {
      response.destroy();
    });
  });
  return listening(server);
}
