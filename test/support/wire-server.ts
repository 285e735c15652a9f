import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { patienceMs } from './patience.js';

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Unchanged from the request line. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which connection it came on, from 1. */
  readonly connection: number;
  /** Which request of its connection it is, from 1. */
  readonly onConnection: number;
}

/** The server's action after it has read a request. */
export type Answer = (socket: net.Socket, request: WireRequest) => void;

/** Picks the answer to a request; `index` counts requests from 0. */
export type Script = (request: WireRequest, index: number) => Answer;

interface WireOptions {
  /** Called on each connection before anything is read. `false`: nothing is read from it. */
  readonly onConnection?: (socket: net.Socket) => boolean;
}

/** An HTTP/1.1 server on a bare socket, which follows its script, even against the protocol, and logs all requests. */
export class WireServer {
  readonly requests: WireRequest[] = [];
  connections = 0;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #used = new Set<net.Socket>();

  /** Starts a server that ends with the test. */
  static async start(script: Script, options: WireOptions = {}): Promise<WireServer> {
    const server = await WireServer.open(script, options);
    onTestFinished(() => server.close());
    return server;
  }

  /** Starts a server that the caller closes. */
  static async open(script: Script, options: WireOptions = {}): Promise<WireServer> {
    const server = new WireServer(script, options);
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  private constructor(script: Script, { onConnection }: WireOptions) {
    this.#server = net.createServer((socket) => {
      const connection = (this.connections += 1);
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}); // Resets are what these tests are about.
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#used.delete(socket);
      });
      socket.once('data', () => this.#used.add(socket));
      if (onConnection?.(socket) === false) return;
      let onThis = 0;
      const parse = requestParser((parsed) => {
        const request: WireRequest = { ...parsed, connection, onConnection: (onThis += 1) };
        this.requests.push(request);
        script(request, this.requests.length - 1)(socket, request);
      });
      socket.on('data', parse);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /**
   * Sockets that carried data and are still open. If Node 20 and 22 destroy a socket of `fetch`, they open another one,
   * which carries nothing until the next request.
   */
  get openSockets(): number {
    return this.#used.size;
  }

  /** Resolves once the client has released every socket that carried data. */
  async allClosed(withinMs = patienceMs): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (this.#used.size > 0) {
      if (performance.now() > giveUpAt) throw new Error(`${String(this.#used.size)} sockets are still open`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Destroys open sockets. It may be called again. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

type Parsed = Omit<WireRequest, 'connection' | 'onConnection'>;

function requestParser(emit: (request: Parsed) => void): (chunk: Buffer) => void {
  let buffered = Buffer.alloc(0);
  return (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [line = '', ...fields] = buffered.subarray(0, end).toString('latin1').split('\r\n');
      const headers: Record<string, string> = {};
      for (const field of fields) {
        const colon = field.indexOf(':');
        headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
      }
      const bodyStart = end + 4;
      const length = Number(headers['content-length'] ?? 0);
      if (buffered.length < bodyStart + length) return;
      const body = buffered.subarray(bodyStart, bodyStart + length).toString('utf8');
      buffered = buffered.subarray(bodyStart + length);
      const [method = '', path = ''] = line.split(' ');
      emit({ method, path, headers, body });
    }
  };
}

export interface Reply {
  readonly status?: number;
  /** As pairs, so that a header can occur twice. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

function head(status: number, headers: readonly (readonly [string, string])[]): string {
  return `HTTP/1.1 ${String(status)} Some Words\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A well-formed reply. The connection stays open. */
export function reply({ status = 200, headers = [], body = '' }: Reply): Answer {
  const bytes = Buffer.from(body);
  const own = headers.map(([name]) => name.toLowerCase());
  const all = [...headers];
  if (!own.includes('content-type')) all.push(['content-type', 'application/json']);
  if (status !== 204 && status !== 304) all.push(['content-length', String(bytes.length)]);
  return (socket) => {
    socket.write(head(status, all));
    if (bytes.length > 0) socket.write(bytes);
  };
}

/** A well-formed JSON reply. */
export function json(value: unknown, status = 200, headers: readonly (readonly [string, string])[] = []): Answer {
  return reply({ status, headers, body: JSON.stringify(value) });
}

/** Resets once the client has read everything: a reset overtakes unread data, and both sides share this thread. */
export function resetAfterArrival(socket: net.Socket, turns = 5): void {
  if (turns === 0) socket.resetAndDestroy();
  else setImmediate(resetAfterArrival, socket, turns - 1);
}

/** Sends a text as it is, and then leaves the connection as it is, ends it, or resets it. */
export function raw(text: string | Buffer, then: 'stay' | 'end' | 'reset'): Answer {
  return (socket) => {
    socket.write(text, () => {
      if (then === 'end') socket.end();
      if (then === 'reset') resetAfterArrival(socket);
    });
  };
}

/** Resets the connection, so that the other side gets `ECONNRESET`. */
export const reset: Answer = (socket) => {
  socket.resetAndDestroy();
};

/** Ends the connection without a word. */
export const hangUp: Answer = (socket) => {
  socket.end();
};

/** Never says anything. */
export const silence: Answer = () => {};

/** Sends a first part, and then one byte at a time for as long as the connection lasts. */
export function drip(first: string, byte: string, everyMs = 5): Answer {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(byte), everyMs);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
}

/** A URL whose port refuses connections. A port that a server has just left can belong to another program a moment later. */
export const closedPort = 'http://127.0.0.1:2';
