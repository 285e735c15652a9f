/** Answers each request with the body that was prepared for its limit. Plain JavaScript: it is started as a worker. */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const server = createServer((request, response) => {
  request.resume();
  const limit = new URL(request.url, 'http://x').searchParams.get('limit');
  response.writeHead(200, { 'content-type': 'application/json' }).end(workerData[limit]);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
