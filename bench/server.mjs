/**
 * Answers every request from bodies that were prepared: by the `limit` of the query or the size in the path (`/…/n20`).
 * With an `offset` in the query it is a page of the long list, and waits as long as a service far away would.
 * Plain JavaScript: it is started as a worker, so that it takes no time from what is measured.
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
