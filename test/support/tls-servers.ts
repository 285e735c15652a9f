/** A TLS server that replies with a list of accounts, and a proxy that opens tunnels to any address. */
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { selfSigned } from './self-signed.js';

interface Running {
  readonly port: number;
  close(): Promise<void>;
}

/** A server on `localhost`, and the requests that it received. */
export interface AccountServer extends Running {
  /** The paths that were asked for. */
  readonly paths: string[];
  /** How many connections were made. */
  readonly connections: () => number;
}

function listening(server: http.Server | https.Server): Promise<Running> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return new Promise((resolve) => {
    server.listen(0, 'localhost', () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => {
              closed();
            });
          }),
      });
    });
  });
}

/** @param asksForCertificate only clients with the test's own certificate are let in */
export async function startAccountServer(asksForCertificate: boolean): Promise<AccountServer> {
  const paths: string[] = [];
  let connections = 0;
  const server = https.createServer(
    { ...selfSigned, ca: selfSigned.cert, requestCert: asksForCertificate, rejectUnauthorized: asksForCertificate },
    (request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, total: 0, integrations: [] }));
    },
  );
  server.on('secureConnection', () => {
    connections += 1;
  });
  return { ...(await listening(server)), paths, connections: () => connections };
}

/** A proxy for CONNECT, and the hosts that it was asked for. */
export async function startConnectProxy(): Promise<Running & { readonly asked: string[] }> {
  const asked: string[] = [];
  const server = http.createServer();
  server.on('connect', (request: http.IncomingMessage, client: Duplex, head: Buffer) => {
    asked.push(request.url ?? '');
    const target = net.connect(Number(request.url?.split(':').at(-1)), 'localhost', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    // Whichever end goes first takes the other along.
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  return { ...(await listening(server)), asked };
}
