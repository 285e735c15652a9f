import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/core/errors.js';
import { listening } from '../support/listening.js';
import { selfSigned } from '../support/self-signed.js';
import { classesOfCall, post } from './calls.js';
import { rejection, testClient } from './client.js';

async function listen(server: net.Server): Promise<string> {
  return `https://127.0.0.1:${String((await listening(server)).port)}`;
}

/** Answers the first bytes of a handshake with these bytes. */
const answering = (bytes: Buffer | string) =>
  net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });

describe('a TLS handshake that fails sends nothing, and is not tried again', () => {
  let requests = 0;
  const faults: Readonly<Record<string, () => net.Server>> = {
    'a certificate that nobody trusts': () =>
      tls.createServer(selfSigned, (socket) => {
        socket.on('error', () => {});
        socket.on('data', () => (requests += 1));
      }),
    'a server that speaks plain HTTP': () => answering('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'an alert: handshake failure': () => answering(Buffer.from([0x15, 3, 3, 0, 2, 2, 40])),
    'an alert: protocol version': () => answering(Buffer.from([0x15, 3, 3, 0, 2, 2, 70])),
  };

  for (const [fault, make] of Object.entries(faults)) {
    it.each(classesOfCall)(`${fault}: $name`, async ({ call }) => {
      requests = 0;
      const { client, attempts } = testClient(await listen(make()));
      const error = await rejection(call(client));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome: 'not_sent', attempts: 1 });
      expect((error as Error).message).not.toMatch(/error:0A|SSL routines|openssl/i);
      expect(attempts()).toBe(1);
      expect(requests).toBe(0);
    });
  }
});

describe('a TLS connection that breaks once the request was read', () => {
  it('may have been executed, although its code can be the same as without TLS', async () => {
    let requests = 0;
    let toClient: net.Socket | undefined;
    const service = tls.createServer(selfSigned, (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        toClient?.write('HTTP/1.1 400 Bad Request\r\n\r\n'); // Past the encryption.
      });
    });
    const { port } = await listening(service);
    const url = await listen(
      net.createServer((socket) => {
        toClient = socket;
        const upstream = net.connect(port, '127.0.0.1');
        for (const end of [socket, upstream]) end.on('error', () => {});
        socket.pipe(upstream).pipe(socket);
        socket.on('close', () => upstream.destroy());
      }),
    );
    /** A `fetch` on node:https, which reports such errors as they come. */
    const fetch = (input: string | URL | Request, init?: RequestInit) =>
      new Promise<Response>((_, reject) => {
        https
          .request(input as string, { method: init?.method, rejectUnauthorized: false })
          .on('error', reject)
          .end(init?.body);
      });

    const error = await rejection(post.call(testClient(url, { fetch }).client));

    expect(error).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
      cause: { code: expect.stringMatching(/^ERR_SSL_/) as string },
    });
    expect(requests).toBe(1);
  });
});
