import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Emulator, Exchange } from '../index.js';
import { bodiless } from '../http/respond.js';
import { corsHeaders, preflightHeaders } from './node-cors.js';
import { BadRequest, toRequest } from './node-request.js';

/** What became of a request: the status, or what happened in its place. */
export type ExchangeResult = number | 'reset' | 'cut off' | 'no reply' | 'gone' | 'crashed';

/** Answers a request to the service, faults included unless it is `aside`. It never rejects. */
export async function answerExchange(
  service: Emulator,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  aside: boolean,
): Promise<ExchangeResult> {
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
    exchange = await (aside ? service.exchangeAside(request) : service.exchange(request));
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

function send(exchange: Exchange, incoming: IncomingMessage, outgoing: ServerResponse): ExchangeResult {
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
