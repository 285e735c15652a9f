import { callSafely } from '../../core/call/hooks.js';
import { keepNewest } from '../../core/runtime.js';
import type { WebhookEvent } from '../../model/events.js';
import { createClaims, type ClaimEvent } from './event-claims.js';
import { accepted, createHttpHandler, refuse, type WebhookReceiver, type WebhookResponse } from './http-handler.js';
import { finalStateOf } from '../inbox/inbox-record.js';
import { parseReceiverOptions, type ReceiverSettings, type WebhookReceiverOptions } from './receiver-options.js';
import type { VerifiedDelivery } from '../verify/verify.js';
import type { NodeRequest } from './webhook-request.js';

/**
 * Creates a receiver that verifies each delivery, handles each event ID once, and answers within the 10 seconds that
 * the service waits.
 *
 * - If a handler throws, the response is 500: the service retries, up to three attempts in total.
 * - While a handler runs, further attempts get 503. After it, they get 200.
 * - If a handler takes longer than `ackTimeoutMs`, it continues, and the attempt gets 503.
 * - After a crash, the event can be handled again when its lease expires.
 *
 * A handler runs a second time for an event in two cases. Either the process crashed before the store recorded the
 * result, or the handler took longer than its lease and another process shares the store. An event is lost if all
 * three attempts fail. If no event may be lost, use `createWebhookInbox`.
 *
 * API document: Events, Delivery.
 *
 * @example
 * ```ts
 * const receiver = createWebhookReceiver({
 *   secret,
 *   store: new PostgresStore(pool),
 *   on: { 'post.failed': async (event) => { await notifyTeam(event.data.post.id); } },
 * });
 * http.createServer(receiver.node);
 * ```
 *
 * @throws {@link ConfigurationError} an option is invalid, for example an empty or masked secret
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const settings = parseReceiverOptions(options);
  const dispatcher = new EventDispatcher(settings);
  return createHttpHandler(settings, (delivery, request) => dispatcher.dispatch(delivery, request));
}

/** The maximum number of deliveries of an event (API document: Events, Delivery 3). */
const maxDeliveryAttempts = 3;

/** How many events have their attempts counted. Beyond it, the oldest count starts again at 1. */
const maxCounted = 10_000;

/** One attempt of the service at an event that has a handler. */
interface DeliveryAttempt {
  readonly event: WebhookEvent;
  readonly request: Request | NodeRequest;
  readonly handler: (event: WebhookEvent) => unknown;
  /** Counts deliveries to this process, from 1. `undefined`: the event has no ID. */
  readonly number: number | undefined;
}

/** Passes each event to its handler, each ID once. */
class EventDispatcher {
  readonly #settings: ReceiverSettings;
  readonly #claimEvent: ClaimEvent;
  /** IDs of events whose handlers run in this process. */
  readonly #running = new Set<string>();
  /** Deliveries to this process by event ID, until the event is handled. */
  readonly #attempts = new Map<string, number>();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
    this.#claimEvent = createClaims(settings.store, settings);
  }

  /** Never rejects. */
  async dispatch({ event, secrets }: VerifiedDelivery, request: Request | NodeRequest): Promise<WebhookResponse> {
    const handler = this.#settings.handlerOf(event);
    if (handler === undefined) return accepted;
    const { id } = event;
    // Without an ID, a repeat cannot be recognised: each delivery is handled.
    if (id === undefined || id === '') return this.#handle({ event, request, handler, number: undefined });
    const attempt = { event, request, handler, number: this.#count(id) };
    try {
      return await this.#handleOnce(id, secrets, attempt);
    } catch (error) {
      return this.#fail(error, attempt);
    }
  }

  async #handleOnce(id: string, secrets: readonly string[], attempt: DeliveryAttempt): Promise<WebhookResponse> {
    // Also after the lease: while this process runs, a delivery to it must not start a second handler.
    if (this.#running.has(id)) return refuse(503, 'in progress');
    const claim = await this.#claimEvent(id, secrets, finalStateOf(attempt.event));
    if (claim === 'in_progress') return refuse(503, 'in progress');
    if (claim !== 'done') {
      this.#running.add(id);
      try {
        const response = await this.#handle(attempt);
        if (response !== accepted) {
          await claim.release();
          return response;
        }
        // If this fails, the event counts as not handled, and the response must say so.
        await claim.complete();
      } finally {
        this.#running.delete(id);
      }
    }
    this.#attempts.delete(id);
    return accepted;
  }

  async #handle(attempt: DeliveryAttempt): Promise<WebhookResponse> {
    try {
      await attempt.handler(attempt.event);
      return accepted;
    } catch (error) {
      return this.#fail(error, attempt);
    }
  }

  #fail(error: unknown, { event, request, number }: DeliveryAttempt): WebhookResponse {
    // Deliveries that arrived while a slow handler ran are used up too.
    const seen = this.#attempts.get(event.id ?? '') ?? number;
    const context =
      number === undefined
        ? { event, request }
        : { event, request, attempt: number, last: Number(seen) >= maxDeliveryAttempts };
    void callSafely(() => this.#settings.onError(error, context));
    return refuse(500, 'internal error');
  }

  #count(id: string): number {
    const number = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, number);
    keepNewest(this.#attempts, maxCounted);
    return number;
  }
}
