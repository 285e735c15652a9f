/** Answers every create with a new post. Plain JavaScript: it runs in a worker, so its time isn't measured. */
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

let posts = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    posts += 1;
    const body = JSON.stringify({ success: true, postId: `post_${posts}`, status: 'scheduled' });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
