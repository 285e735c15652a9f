import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../../core/errors.js';
import type { Emulator, Exchange } from '../index.js';
import { bodiless } from '../http/respond.js';
import { corsHeaders, preflightHeaders } from './node-cors.js';
import { BadRequest, toRequest } from './node-request.js';

/** How an emulator is served. */
export interface ServeOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Whether its clock runs in step with the real one. Default false: it stands still unless it is moved. */
  readonly realTime?: boolean | undefined;
  /** Is told of each request that was answered or broken off. For logs. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

/** One line of a request log. It shows no query, and no selection token. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string;
  /** The path, a selection token in it masked. */
  readonly path: string;
  /** The status, or what happened in its place. */
  readonly result: number | 'reset' | 'cut off' | 'no reply' | 'gone' | 'crashed';
  /** How long it took, in milliseconds of real time. */
  readonly ms: number;
}

/** An emulator on a socket. */
export interface ServedEmulator {
  /** Where it answers, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Takes no new requests, ends what is open, and resolves when the port is free. */
  close(): Promise<void>;
}

const loopback = '127.0.0.1';

/** How long requests that are being answered may take after `close`. */
const closeGraceMs = 500;

/**
 * Serves an emulator on a real socket of this computer alone.
 *
 * @throws `ConfigurationError` where the port can't be one
 * @throws the error of `listen` where the port can't be had; its `code` is `EADDRINUSE` where another program has it
 */
export async function serveEmulator(service: Emulator, options: ServeOptions = {}): Promise<ServedEmulator> {
  const { port = 0, realTime = false, onRequest } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigurationError('serveEmulator: port must be a whole number from 0 to 65535; 0 takes any free one.');
  }
  const server = createServer((request, response) => {
    const started = performance.now();
    const path = (request.url ?? '/').replace(/[?#].*$/s, '').replace(/(\/selection\/)[^/]+/, '$1***');
    void answer(service, request, response).then((result) => {
      onRequest?.({ method: request.method ?? '', path, result, ms: performance.now() - started });
    });
  });
  await listen(server, port);
  const stop = realTime ? service.clock.run() : undefined;
  // It listens on TCP, so that its address is one.
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${loopback}:${String(address.port)}`,
    port: address.port,
    close() {
      stop?.();
      return (closing ??= close(server));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, closeGraceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(
  service: Emulator,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<RequestLine['result']> {
  const preflight = preflightHeaders(incoming);
  if (preflight !== undefined) {
    incoming.resume();
    outgoing.writeHead(204, { ...preflight, date: dateOf(service) }).end();
    return 204;
  }
  const gone = new AbortController();
  outgoing.once('close', () => {
    gone.abort();
  });
  let exchange: Exchange;
  try {
    exchange = await service.exchange(await toRequest(incoming, gone.signal));
  } catch (error) {
    if (gone.signal.aborted) return 'gone';
    if (error instanceof BadRequest) {
      const body = JSON.stringify({ success: false, message: error.message });
      const headers = { 'content-type': 'application/json', date: dateOf(service), ...corsHeaders };
      outgoing.writeHead(error.status, headers).end(body);
      return error.status;
    }
    // A mistake of the emulator: it must be seen, and it is no reply of the service.
    outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    outgoing.end(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 'crashed';
  }
  return send(exchange, incoming, outgoing);
}

function dateOf(service: Emulator): string {
  return new Date(service.clock.now()).toUTCString();
}

function send(exchange: Exchange, incoming: IncomingMessage, outgoing: ServerResponse): RequestLine['result'] {
  switch (exchange.kind) {
    case 'reset':
      incoming.socket.resetAndDestroy();
      return 'reset';
    case 'silence':
      return 'no reply';
    case 'cut': {
      const { status, headers, body, sent } = exchange;
      outgoing.writeHead(status, { ...corsHeaders, ...headers, 'content-length': String(Buffer.byteLength(body)) });
      outgoing.write(sent, () => {
        incoming.socket.destroy();
      });
      return 'cut off';
    }
    case 'reply': {
      const { status, headers, body } = exchange;
      outgoing.writeHead(status, { ...corsHeaders, ...headers });
      outgoing.end(bodiless.includes(status) ? undefined : body);
      return status;
    }
  }
}
