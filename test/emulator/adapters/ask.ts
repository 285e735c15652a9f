import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Returns the server's reply to a request with these lines, which a client of HTTP might refuse to send. */
export function ask(port: number, lines: readonly string[], body = ''): Promise<string> {
  const length = body === '' ? [] : [`Content-Length: ${String(body.length)}`];
  const socket = connect(port, '127.0.0.1');
  socket.write([...lines, ...length, 'Connection: close', '', body].join('\r\n'));
  return text(socket);
}
