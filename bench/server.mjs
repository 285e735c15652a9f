/**
 * Replies to every request with prepared bodies: by the `limit` of the query or the size in the path (`/…/n20`). With
 * an `offset` in the query, the reply is a page of the long list, delayed like a remote service. Plain JavaScript: it
 * runs in a worker, so its time isn't measured.
 */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { bodies, pages, delayMs } = workerData;

const server = createServer((request, response) => {
  request.resume();
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const answer = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  if (pathname.startsWith('/far/')) {
    const offset = searchParams.get('offset') ?? '0';
    setTimeout(answer, delayMs, pages[offset]);
  } else {
    answer(bodies[searchParams.get('limit') ?? /\/n(\d+)$/.exec(pathname)?.[1]]);
  }
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
