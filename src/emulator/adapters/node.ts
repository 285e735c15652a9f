/**
 * The emulator on a socket, with its console and its control API.
 *
 * @packageDocumentation
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { callSafely } from '../../core/call/hooks.js';
import { checkConfiguration, isBoolean, isFunction, isWhole, optional, optionsOf } from '../../core/call/options.js';
import { parseUrl } from '../../core/parse-url.js';
import { maskedPath } from '../http/request-record.js';
import type { Emulator } from '../index.js';
import { createControlApi, refused, type ControlApi } from './control/api.js';
import { guard, isBackground, isOrigins } from './control/guard.js';
import { isControlPath } from './control/route.js';
import { observedCheck, type Observed } from './control/observed.js';
import { toRequest } from './node-request.js';
import { pageReply } from './page.js';
import { answerService, close, type ExchangeResult, type ServedService } from './node-service.js';

export type { ExchangeResult } from './node-service.js';
export type { Observed, ObservedEvent, ObservedIntent } from './control/observed.js';

/** Options of `serveEmulator`. */
export interface ServeOptions {
  /** The port. Default 0: any free port. */
  readonly port?: number | undefined;
  /** Whether the clock follows real time. Default false: it moves only when you move it. */
  readonly realTime?: boolean | undefined;
  /**
   * Serves the console at `/`, and a control API under `/_emulator/` for seeds, clock, faults and deliveries, from any
   * language. Neither requires a key. Default false.
   */
  readonly console?: boolean | undefined;
  /**
   * The address to listen on. Default `127.0.0.1`: this computer only. With another address, such as `0.0.0.0` for all,
   * everyone who can reach this computer can reach the emulator and its control API.
   */
  readonly host?: string | undefined;
  /**
   * Origins whose pages may call the service, such as `https://app.example.com`. Pages of loopback origins always may.
   * Requests from pages of other origins are refused with 403.
   */
  readonly cors?: string | readonly string[] | undefined;
  /**
   * A publisher and an inbox whose intents and events the console and the control API show by state. Intents that
   * were not sent can be cancelled and edited there. Requires `console: true`. Each read lists all of them, so use it only in development and demos.
   */
  readonly observe?: Observed | undefined;
  /** Called with each request to the service when it ends. For logs. Its exceptions and rejections are ignored. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

/** One line of a request log. It shows no query and no selection token. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string;
  /** The path. A selection token in it is masked. */
  readonly path: string;
  /** The status, or what happened instead of a reply. */
  readonly result: ExchangeResult;
  /** The duration in milliseconds of real time. */
  readonly ms: number;
}

/** An emulator on a socket. */
export interface ServedEmulator {
  /** Its address, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Accepts no new requests, ends open ones, and resolves when the port is free. */
  close(): Promise<void>;
}

const serveOptions = optionsOf<ServeOptions>('an option of serveEmulator', {
  port: isWhole({ least: 0, most: 65_535 }),
  realTime: isBoolean,
  console: isBoolean,
  host: optional(
    'an address to listen on, such as 127.0.0.1 or 0.0.0.0',
    (value) => typeof value === 'string' && value.trim() !== '',
  ),
  cors: isOrigins('https://app.example.com'),
  observe: observedCheck,
  onRequest: isFunction,
});

const loopback = '127.0.0.1';

/**
 * Serves an emulator on a real socket of this computer.
 *
 * @throws `ConfigurationError` for invalid options
 * @throws the error of `listen` if the port is not available; `code` is `EADDRINUSE` if another program uses it
 */
export async function serveEmulator(service: Emulator, options: ServeOptions = {}): Promise<ServedEmulator> {
  checkConfiguration(serveOptions, options);
  const { port = 0, host = loopback, cors = [], realTime = false, onRequest } = options;
  const guardHost = (request: Request) => {
    guard(request, host);
  };
  const control = options.console === true ? createControlApi(service, guardHost, options.observe) : undefined;
  const served: Served = { service, cors: { host, origins: [cors].flat() }, control, onRequest };
  const server = createServer((request, response) => {
    void answer(served, request, response);
  });
  // Only the client closes idle connections. By default, the server closes them after 5 seconds: a client whose process
  // was paused for so long would lose its next request, and could not know whether its post was created.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  // It rejects with the error of `listen`.
  await once(server, 'listening');
  const stop = realTime ? service.clock.run() : undefined;
  // The address of a server on TCP is an object.
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${nameOf(host)}:${String(address.port)}`,
    port: address.port,
    close() {
      stop?.();
      control?.close();
      return (closing ??= close(server));
    },
  };
}

interface Served extends ServedService {
  readonly control: ControlApi | undefined;
  readonly onRequest: ServeOptions['onRequest'];
}

/** The name by which a program on this computer calls a server that listens on an address. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = performance.now();
  const path = pathOf(request);
  const { control, onRequest } = served;
  if (control !== undefined) {
    if (isControlPath(path)) return sendReply(await toRequest(request).then(control.fetch, refused), response);
    const page = await pageReply(path, request.method);
    if (page !== undefined) {
      request.resume();
      return sendReply(page, response);
    }
  }
  const background = control !== undefined && isBackground((name) => request.headers[name]);
  const result = await answerService(served, request, response, background);
  if (background) return;
  const line = { method: request.method ?? '', path: maskedPath(path), result, ms: performance.now() - started };
  void callSafely(() => onRequest?.(line));
}

/** Sends a reply as fast as its reader reads. It never rejects: a reader may disconnect. */
async function sendReply({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  // An event stream ends with the server. A kept-alive connection would delay that end.
  if (headers.get('content-type') === 'text/event-stream') outgoing.shouldKeepAlive = false;
  try {
    outgoing.writeHead(status, Object.fromEntries(headers));
    if (body === null) outgoing.end();
    // The types of Node and of browsers name the same class.
    else await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
  } catch {
    outgoing.destroy();
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const target = url.replace(/[?#].*$/s, '');
  return target.startsWith('/') ? target : (parseUrl(target)?.pathname ?? target);
}
