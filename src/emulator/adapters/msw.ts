/**
 * The emulator as msw handlers, for the tests of browser apps.
 *
 * @packageDocumentation
 */
import { http, HttpResponse, type HttpHandler } from 'msw';
import { checkConfiguration, optionsOf, unchecked } from '../../core/call/options.js';
import type { Emulator, Exchange } from '../index.js';
import { respond } from '../http/respond.js';

/** The options of `emulatorHandlers`. */
export interface HandlerOptions {
  /** Only requests under this address, including its path prefix. Default: `/v1/*` on any origin. */
  readonly baseUrl?: string | URL | undefined;
}

// `new URL` checks it.
const handlerOptions = optionsOf<HandlerOptions>('an option of emulatorHandlers', { baseUrl: unchecked });

/**
 * Returns an emulator as request handlers of msw 2 or 3, for `setupServer` in Node and `setupWorker` in a page.
 *
 * ```ts
 * const server = setupServer(...emulatorHandlers(createEmulator()));
 * ```
 */
export function emulatorHandlers(service: Emulator, options: HandlerOptions = {}): HttpHandler[] {
  checkConfiguration(handlerOptions, options);
  const base = options.baseUrl === undefined ? '*' : new URL(options.baseUrl).href.replace(/(?<!\/)\/+$/, '');
  return [
    http.all(`${base}/v1/*`, async ({ request }) => {
      try {
        return await answer(await service.exchange(request), request);
      } catch (error) {
        // msw would log an aborted request as a failure of the handler.
        if (request.signal.aborted) return HttpResponse.error();
        throw error;
      }
    }),
  ];
}

function answer(exchange: Exchange, request: Request): Response | Promise<Response> {
  // `fetch` rejects with a TypeError, as it does for a reset.
  return exchange.kind === 'reset' || exchange.kind === 'refused' ? HttpResponse.error() : respond(exchange, request);
}
