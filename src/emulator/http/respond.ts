import type { Exchange } from './request-record.js';
import { untilAborted } from '../../core/flow/abort.js';

/** Statuses whose replies have no body. */
export const bodiless: readonly number[] = [204, 205, 304];

export function respond(exchange: Exchange, request: Request): Response | Promise<Response> {
  switch (exchange.kind) {
    case 'reset':
      throw connectionReset('fetch failed');
    case 'refused':
      throw connectionFailure('fetch failed', 'ECONNREFUSED', 'connect');
    case 'silence':
      return untilAborted(request.signal, new Promise(() => undefined));
    case 'cut':
      return reply(request.url, cutStream(exchange.sent), exchange.status, exchange.headers);
    case 'reply': {
      const { status, headers, body } = exchange;
      if (request.redirect === 'error' && status >= 300 && status < 400 && 'location' in headers) {
        throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
      }
      return reply(request.url, bodiless.includes(status) ? null : body, status, headers);
    }
  }
}

export function cutStream(sent: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(sent));
    },
    // Called once that part was read.
    pull(controller) {
      controller.error(connectionReset('terminated'));
    },
  });
}

function reply(
  url: string,
  body: BodyInit | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const response = new Response(body, { status, headers });
  // A constructed response has no URL, but a `fetch` response has one.
  Object.defineProperty(response, 'url', { value: url, configurable: true });
  return response;
}

/** The error that Node's `fetch` rejects with when the other side resets the connection. */
function connectionReset(message: string): TypeError {
  return connectionFailure(message, 'ECONNRESET', 'read');
}

function connectionFailure(message: string, code: string, syscall: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
}
