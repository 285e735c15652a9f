import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a service behaves differently from the emulator. */
export interface Mood {
  /** Changes the JSON of each reply. */
  readonly rewrite?: (body: string) => string;
  /** Sends replies without `Date`. */
  readonly noDate?: boolean;
  /** Removes fields of the query before the service gets it. */
  readonly ignores?: readonly string[];
}

/** Serves another server's replies in a mood. */
export async function serveInMood(origin: string, { rewrite = (body) => body, noDate = false, ignores = [] }: Mood) {
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = !noDate;
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const url = new URL(request.url ?? '', origin);
      for (const name of ignores) url.searchParams.delete(name);
      const { method = 'GET' } = request;
      const reply = await fetch(url, {
        method,
        headers: { 'x-access-key': String(request.headers['x-access-key']), 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: Buffer.concat(chunks).toString() }),
      });
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(rewrite(await reply.text()));
    })().catch(() => {
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
