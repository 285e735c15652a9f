/**
 * The emulator on a socket, with its console and its control API.
 *
 * @packageDocumentation
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../../core/errors.js';
import { checkNames } from '../../core/names.js';
import { maskedPath } from '../http/masked-path.js';
import type { Emulator } from '../index.js';
import { createControlApi, type ControlApi } from './control/api.js';
import { controlPath } from './control/match.js';
import { answerControl } from './node-control.js';
import { answerExchange, type ExchangeResult } from './node-exchange.js';
import { sendPage } from './node-page.js';

export type { ExchangeResult } from './node-exchange.js';

/** How an emulator is served. */
export interface ServeOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Whether its clock runs in step with the real one. Default false: it stands still unless it is moved. */
  readonly realTime?: boolean | undefined;
  /**
   * Serves a page at `/` that shows what goes on, and a control API under `/_emulator/`: seeds, clock, faults and deliveries
   * from any language. It asks for no key. Default false.
   */
  readonly console?: boolean | undefined;
  /**
   * The address to listen on. Default `127.0.0.1`: this computer alone. With another one, `0.0.0.0` for all, whoever reaches
   * this computer reaches the emulator, the control API included.
   */
  readonly host?: string | undefined;
  /** Is told of each request to the service that was answered or broken off. For logs. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

/** One line of a request log. It shows no query, and no selection token. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string;
  /** The path, a selection token in it masked. */
  readonly path: string;
  /** The status, or what happened in its place. */
  readonly result: ExchangeResult;
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

const optionNames: ReadonlySet<string> = new Set<keyof ServeOptions>([
  'port',
  'realTime',
  'console',
  'host',
  'onRequest',
]);

const loopback = '127.0.0.1';

/** The page looks on all the time: such a request of its is neither recorded nor hit by a fault. */
const asideHeader = 'x-emulator-background';

/** How long requests that are being answered may take after `close`. */
const closeGraceMs = 500;

/**
 * Serves an emulator on a real socket of this computer alone.
 *
 * @throws `ConfigurationError` where the port can't be one
 * @throws the error of `listen` where the port can't be had; its `code` is `EADDRINUSE` where another program has it
 */
export async function serveEmulator(service: Emulator, options: ServeOptions = {}): Promise<ServedEmulator> {
  checkNames('option of serveEmulator', options, optionNames);
  const { port = 0, host = loopback, realTime = false, onRequest } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigurationError('serveEmulator: port must be a whole number from 0 to 65535; 0 takes any free one.');
  }
  if (typeof (host as unknown) !== 'string' || host.trim() === '')
    throw new ConfigurationError('serveEmulator: host must be an address to listen on, such as 127.0.0.1 or 0.0.0.0.');
  const control = options.console === true ? createControlApi(service, host) : undefined;
  const server = createServer((request, response) => {
    void answer(service, control, request, response, onRequest);
  });
  await listen(server, port, host);
  const stop = realTime ? service.clock.run() : undefined;
  // It listens on TCP, so that its address is one.
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

/** How a program on this computer calls what listens on an address. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
}

async function answer(
  service: Emulator,
  control: ControlApi | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  onRequest: ServeOptions['onRequest'],
): Promise<void> {
  const started = performance.now();
  const path = pathOf(request);
  if (control !== undefined) {
    if (path === controlPath || path.startsWith(`${controlPath}/`)) return answerControl(control, request, response);
    if (await sendPage(path, request, response)) return;
  }
  const aside = control !== undefined && request.headers[asideHeader] !== undefined;
  const result = await answerExchange(service, request, response, aside);
  if (aside) return;
  onRequest?.({ method: request.method ?? '', path: maskedPath(path), result, ms: performance.now() - started });
}

/** The path of a request, also where its target is a whole URL. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const target = url.replace(/[?#].*$/s, '');
  return !target.startsWith('/') && URL.canParse(target) ? new URL(target).pathname : target;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
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
