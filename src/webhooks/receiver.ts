import { Handling } from './handling.js';
import type { NodeRequest, NodeResponse } from './webhook-request.js';
import { createListener } from './http-handler.js';
import { parseOptions, type WebhookReceiverOptions } from './receiver-options.js';

/** Receives the deliveries of a webhook subscription. All functions work unbound; `fetch` and `node` never throw. */
export interface WebhookReceiver {
  /**
   * Answers a delivery that comes as a `Request`: Next.js, Hono, Bun, Deno, Cloudflare Workers.
   *
   * @param context whatever the runtime hands over beside the request. Where one has `waitUntil`, as the context of a
   * Worker, a handler that takes longer than the answer is kept running with it
   */
  readonly fetch: (request: Request, ...context: unknown[]) => Promise<Response>;
  /** Answers a delivery in Node: for `http.createServer`, and for Express before any body parser. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /**
   * Resolves when no delivery is being handled, slow handlers that go on after their answer included: for a shutdown,
   * after the server has stopped listening.
   */
  readonly idle: () => Promise<void>;
}

/**
 * Gives a receiver that verifies each delivery, handles each event once, and answers inside the 10 seconds that the
 * service waits.
 *
 * - A handler that throws is answered with 500: the service retries, up to three attempts in all.
 * - An attempt that comes while the event is being handled is answered with 503; one that comes later, with 200.
 * - A handler that is not done in `ackTimeoutMs` goes on, and the attempt is answered with 503.
 * - After a crash, the event is free again when its lease runs out.
 *
 * So every event is handled at least once if the service still retries then, and once only unless a crash comes between
 * the handler's end and the store's note of it, or another process takes over from a handler that outlasts its lease.
 * Where an event must not be lost, whatever crashes, take `createWebhookInbox`.
 *
 * API document: Events, Delivery.
 *
 * ```ts
 * const receiver = createWebhookReceiver({
 *   secret,
 *   on: { 'post.failed': async (event) => { await tellSomebody(event.data.post.id); } },
 * });
 * http.createServer(receiver.node);
 * ```
 *
 * @throws {@link ConfigurationError} an option can't be right, for example an empty or masked secret
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const settings = parseOptions(options);
  const handling = new Handling(settings);
  return createListener(settings, (delivery, request) => handling.handle(delivery, request));
}
