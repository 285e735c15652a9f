// A raw TCP server whose connections fail. The first segment of a path is a case, for example `/close.posts.create/`. The
// first request of a case gets a 400 and leaves its connection open, the second one meets the fault, and later ones succeed.
// Prints its port. `/counts` returns the requests of each case, which are counted at the socket.
import { createServer } from 'node:net';

/** The requests of each case, and the faults on a reused connection. */
const counts = { reused: 0 };
const good = '{"success":true,"postId":"post_1","messageId":"message_1","post":{"postId":"post_1"}}';
const reply = (status, body) =>
  `HTTP/1.1 ${status} x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
// With the argument "closing", the server announces the end of each connection.
const end = process.argv[2] === 'closing' ? 'connection: close\r\n\r\n' : '\r\n';

const faults = {
  // FIN without a reply, and the other direction closes too.
  close: (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  // FIN without a reply. The server continues to read.
  'half-close': (socket) => socket.end(),
  delay: (socket) => setTimeout(() => socket.destroy(), 300),
  'cut-head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  'cut-body': (socket) => socket.end(`${reply(200, ' '.repeat(99))}\r\n{"success":`),
  401: (socket) => socket.write(`${reply(401, '{}')}${end}{}`),
  421: (socket) => socket.write(`${reply(421, '{}')}${end}{}`),
  408: (socket) => socket.end(`${reply(408, '{}')}connection: close\r\n\r\n{}`),
};

function answer(socket, path, isReused) {
  const [, name] = path.split('/');
  const fault = faults[name.split('.')[0]];
  if (fault === undefined) {
    // A page for a browser, the counts, and the icon of the page.
    const body = name === 'counts' ? JSON.stringify(counts) : '<!doctype html>';
    const type = name === 'counts' ? 'application/json' : 'text/html';
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n${end}${body}`);
  } else {
    counts[name] = (counts[name] ?? 0) + 1;
    if (counts[name] === 2) {
      counts.reused += isReused ? 1 : 0;
      return fault(socket);
    }
    socket.write(`${reply(counts[name] > 2 ? 200 : 400, good)}${end}${good}`);
  }
  if (end !== '\r\n') socket.end();
}

const server = createServer({ allowHalfOpen: true }, (socket) => {
  let text = '';
  let requests = 0;
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.on('data', (data) => {
    text += data.toString('latin1');
    for (let size = sizeOfRequest(text); size > 0; size = sizeOfRequest(text)) {
      const path = text.split(' ', 2)[1];
      text = text.slice(size);
      answer(socket, path, requests > 0);
      requests += 1;
    }
  });
});

/** Returns 0 while the request is incomplete. */
function sizeOfRequest(text) {
  const head = text.indexOf('\r\n\r\n') + 4;
  if (head < 4) return 0;
  if (/^transfer-encoding: *chunked/im.test(text.slice(0, head))) {
    const last = text.indexOf('0\r\n\r\n', head);
    return last < 0 ? 0 : last + 5;
  }
  const size = head + Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  return size > text.length ? 0 : size;
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
