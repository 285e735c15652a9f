import { ConfigurationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';

/** What a claim finds: nobody has the event, somebody is handling it, or it was handled. */
export type WebhookClaim = 'new' | 'in_progress' | 'done';

/**
 * Where a receiver remembers which events it has handled, so that each is handled once. Receivers that share the work,
 * as several processes behind one URL do, must share the store.
 */
export interface WebhookStore {
  /**
   * Claims an event, in one step: of several claims at once only one may find it `new`. A claim that is neither
   * completed nor released runs out after `leaseMs` milliseconds, so that an event is not lost in a crash.
   */
  claim(id: string, leaseMs: number): Promise<WebhookClaim>;
  /** Marks a claimed event as handled, and remembers it for at least `keepMs` milliseconds. */
  complete(id: string, keepMs: number): Promise<void>;
  /** Gives a claimed event back, so that the next claim finds it `new`. */
  release(id: string): Promise<void>;
  /**
   * Gives what of this store belongs to one subscription. A store that several apps may share has it, so that none takes
   * another's events for its own; a receiver asks it at each delivery.
   *
   * @param scopes names of the subscription, one for each of its secrets. Stores whose names overlap share their events
   */
  scopedTo?(scopes: readonly string[]): WebhookStore;
}

/** What a {@link MemoryWebhookStore} is made with. */
export interface MemoryWebhookStoreOptions {
  /** How many events are remembered at most. Over it, the events that were handled first are forgotten. Default 50,000. */
  readonly maxEntries?: number | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const defaultMaxEntries = 50_000;
const optionNames: ReadonlySet<string> = new Set<keyof MemoryWebhookStoreOptions>(['maxEntries', 'now']);

/** Remembers events in the memory of one process: for a receiver that runs in one process alone, and for tests. */
export class MemoryWebhookStore implements WebhookStore {
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** Until when a claim holds, by event ID. */
  readonly #claimed = new Map<string, number>();
  /** Until when a handled event is remembered, by event ID, the first handled first. */
  readonly #done = new Map<string, number>();

  /** @throws {@link ConfigurationError} `maxEntries` is no whole number above 0 */
  constructor(options: MemoryWebhookStoreOptions = {}) {
    checkNames('option', options, optionNames);
    const { maxEntries = defaultMaxEntries, now = Date.now } = options;
    if (!Number.isInteger(maxEntries) || maxEntries < 1)
      throw new ConfigurationError('maxEntries must be a whole number above 0.');
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  /** How many events are remembered, claimed ones included. */
  get size(): number {
    return this.#claimed.size + this.#done.size;
  }

  // Not async: between the look and the claim nobody else may come in.
  claim(id: string, leaseMs: number): Promise<WebhookClaim> {
    const now = this.#now();
    this.#forget(now);
    if ((this.#done.get(id) ?? 0) > now) return Promise.resolve('done');
    this.#done.delete(id);
    if ((this.#claimed.get(id) ?? 0) > now) return Promise.resolve('in_progress');
    this.#claimed.delete(id);
    if (this.size >= this.#maxEntries && !this.#makeRoom(now)) {
      // To forget a claim would have its event handled twice. The service tries again later.
      return Promise.reject(
        new Error(`More than ${String(this.#maxEntries)} webhook events are being handled at once.`),
      );
    }
    this.#claimed.set(id, now + leaseMs);
    return Promise.resolve('new');
  }

  complete(id: string, keepMs: number): Promise<void> {
    this.#claimed.delete(id);
    // Deleted first, so that it goes to the end of the order.
    this.#done.delete(id);
    this.#done.set(id, this.#now() + keepMs);
    if (this.size > this.#maxEntries) this.#makeRoom(this.#now());
    return Promise.resolve();
  }

  release(id: string): Promise<void> {
    this.#claimed.delete(id);
    return Promise.resolve();
  }

  /** Forgets what is over. Handled events stand in the order of their time, unless they are kept differently long. */
  #forget(now: number): void {
    for (const [id, until] of this.#done) {
      if (until > now) return;
      this.#done.delete(id);
    }
  }

  #makeRoom(now: number): boolean {
    for (const id of this.#done.keys()) {
      this.#done.delete(id);
      return true;
    }
    // Nothing but claims is left: those of crashed handlers are over.
    for (const [id, until] of this.#claimed) if (until <= now) this.#claimed.delete(id);
    return this.size < this.#maxEntries;
  }
}
