import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Emulator, Exchange } from '../index.js';
import { bodiless } from '../http/respond.js';
import { Refusal } from './control/guard.js';
import { addCorsHeaders, preflightHeaders, type CorsRules, toRequest } from './node-request.js';

/** The result of a request: the status, or what happened instead of a reply. */
export type ExchangeResult = number | 'reset' | 'cut off' | 'no reply' | 'gone' | 'crashed';

export interface ServedService {
  readonly service: Emulator;
  readonly cors: CorsRules;
}

/**
 * Answers a request to the service. It never rejects.
 * @param background whether to skip the record and the faults
 */
export async function answerService(
  { service, cors }: ServedService,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  background: boolean,
): Promise<ExchangeResult> {
  const refusal = addCorsHeaders(incoming, outgoing, cors);
  if (refusal !== undefined) {
    incoming.resume();
    return refuse(service, outgoing, new Refusal(403, refusal));
  }
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
    const request = await toRequest(incoming, gone.signal);
    exchange = await (background ? service.exchangeAside(request) : service.exchange(request));
  } catch (error) {
    if (gone.signal.aborted) return 'gone';
    if (error instanceof Refusal) return refuse(service, outgoing, error);
    // A bug of the emulator must be visible, and must not look like a reply of the service.
    outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    outgoing.end(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 'crashed';
  }
  return send(exchange, incoming, outgoing);
}

function refuse(service: Emulator, outgoing: ServerResponse, { status, message }: Refusal): number {
  outgoing.writeHead(status, { 'content-type': 'application/json', date: dateOf(service) });
  outgoing.end(JSON.stringify({ success: false, message }));
  return status;
}

function dateOf(service: Emulator): string {
  return new Date(service.clock.now()).toUTCString();
}

function send(exchange: Exchange, incoming: IncomingMessage, outgoing: ServerResponse): ExchangeResult {
  switch (exchange.kind) {
    case 'reset':
    case 'refused':
      incoming.socket.resetAndDestroy();
      return 'reset';
    case 'silence':
      return 'no reply';
    case 'cut': {
      const { status, headers, body, sent } = exchange;
      outgoing.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
      outgoing.write(sent, () => {
        incoming.socket.destroy();
      });
      return 'cut off';
    }
    case 'reply': {
      const { status, headers, body } = exchange;
      outgoing.writeHead(status, headers);
      outgoing.end(bodiless.includes(status) ? undefined : body);
      return status;
    }
  }
}

/** How long open requests may take after `close`. */
export const closeGraceMs = 500;

/** Ends a server. Requests that are being answered get a moment. */
export async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, closeGraceMs);
  server.close();
  server.closeIdleConnections();
  await once(server, 'close');
  clearTimeout(timer);
}
