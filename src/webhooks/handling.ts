import { ConfigurationError } from '../core/errors.js';
import type { WebhookEvent } from '../model/events.js';
import { computeHmac, toHex } from './hmac.js';
import type { NodeRequest } from './webhook-request.js';
import { received, refusal, tell, type Answer } from './http-handler.js';
import type { ReceiverSettings } from './receiver-options.js';
import type { WebhookStore } from './webhook-store.js';
import type { VerifiedDelivery } from './verify.js';

/** How often the service delivers an event at most (API document: Events, Delivery 3). */
const maxDeliveryAttempts = 3;

/** How many events' attempts are counted. Over it, the oldest are forgotten, and counted from 1 again. */
const maxCounted = 10_000;

/** An event that is being handled. */
interface Handled {
  readonly event: WebhookEvent;
  readonly request: Request | NodeRequest;
  readonly handler: (event: WebhookEvent) => unknown;
  /** Which delivery of the event to this process this is, 1 first. `undefined`: the event has no ID to count by. */
  readonly attempt: number | undefined;
}

/** Handles verified events, each once. */
export class Handling {
  readonly #settings: ReceiverSettings;
  /** The events whose handlers run in this process. */
  readonly #running = new Set<string>();
  /** How many deliveries of an event came to this process, by event ID, until one was handled. */
  readonly #attempts = new Map<string, number>();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /** Handles an event that nobody has handled yet. Never rejects. */
  async handle({ event, secrets }: VerifiedDelivery, request: Request | NodeRequest): Promise<Answer> {
    const handler = this.#settings.handlerOf(event);
    if (handler === undefined) return received;
    const { id } = event;
    // Without an ID there is nothing to know it again by: each delivery is handled.
    if (id === undefined || id === '') {
      return this.#run({ event, request, handler, attempt: undefined });
    }
    const handled = { event, request, handler, attempt: this.#count(id) };
    try {
      return await this.#once(id, await this.#storeFor(secrets), handled);
    } catch (error) {
      return this.#fail(error, handled);
    }
  }

  async #once(id: string, store: WebhookStore, handled: Handled): Promise<Answer> {
    const { leaseMs, keepMs, now } = this.#settings;
    // Whatever the lease says: it is no other process's to take over while this one lives.
    if (this.#running.has(id)) return refusal(503, 'in progress');
    const claimedAt = now();
    const claim = await store.claim(id, leaseMs);
    if (claim === 'in_progress') return refusal(503, 'in progress');
    if (claim === 'new') {
      this.#running.add(id);
      try {
        const answer = await this.#run(handled);
        if (answer !== received) {
          // A claim that has run out may be another's by now.
          if (now() - claimedAt < leaseMs) await store.release(id);
          return answer;
        }
        // Where this fails, the event is not noted as handled, so that it must not be acknowledged either.
        await store.complete(id, keepMs);
      } finally {
        this.#running.delete(id);
      }
    } else if ((claim as string) !== 'done') {
      // Taken for new, every repeat would be handled again and nobody would notice.
      throw new ConfigurationError("The store's claim() must give 'new', 'in_progress' or 'done'.");
    }
    this.#attempts.delete(id);
    return received;
  }

  async #run(handled: Handled): Promise<Answer> {
    try {
      await handled.handler(handled.event);
      return received;
    } catch (error) {
      return this.#fail(error, handled);
    }
  }

  #fail(error: unknown, { event, request, attempt }: Handled): Answer {
    // Deliveries that came while a slow handler ran are used up, too.
    const seen = this.#attempts.get(event.id ?? '') ?? attempt;
    const context =
      attempt === undefined
        ? { event, request }
        : { event, request, attempt, last: Number(seen) >= maxDeliveryAttempts };
    tell(() => this.#settings.onError(error, context));
    return refusal(500, 'internal error');
  }

  #count(id: string): number {
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    const [oldest] = this.#attempts.keys();
    if (attempt === 1 && this.#attempts.size >= maxCounted && oldest !== undefined) this.#attempts.delete(oldest);
    this.#attempts.set(id, attempt);
    return attempt;
  }

  /** The store, or what of it belongs to this subscription where it can tell subscriptions apart. */
  async #storeFor(secrets: readonly string[]): Promise<WebhookStore> {
    const { store } = this.#settings;
    return typeof store.scopedTo === 'function' ? store.scopedTo(await Promise.all(secrets.map(scopeOf))) : store;
  }
}

/** Names a subscription by its secret, which can't be found from the name. */
async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}
