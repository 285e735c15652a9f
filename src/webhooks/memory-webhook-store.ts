import { checkConfiguration, isFunction, isWhole, optionsOf } from '../core/options.js';
import type { WebhookClaim, WebhookStore } from './webhook-store.js';

/** Options of {@link MemoryWebhookStore}. */
export interface MemoryWebhookStoreOptions {
  /**
   * The maximum number of events, 1 or more. If there are more, the store forgets the oldest handled events. Default
   * 50,000.
   */
  readonly maxEntries?: number | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionsCheck = () =>
  optionsOf<MemoryWebhookStoreOptions>('an option of MemoryWebhookStore', {
    maxEntries: isWhole({ least: 1 }),
    now: isFunction,
  });

/**
 * Remembers events in the memory of one process.
 *
 * @deprecated Omit the option `store`: a receiver without a store uses the same memory. If an option requires a store,
 *   pass `MemoryDurableStore` of `social-publishing/publisher`.
 */
export class MemoryWebhookStore implements WebhookStore {
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** Claimed and handled events by ID, the oldest first. */
  readonly #entries = new Map<string, { readonly isDone: boolean; readonly until: number }>();

  /** @throws {@link ConfigurationError} an option is invalid */
  constructor(options: MemoryWebhookStoreOptions = {}) {
    checkConfiguration(optionsCheck(), options);
    this.#maxEntries = options.maxEntries ?? 50_000;
    this.#now = options.now ?? Date.now;
  }

  /** The number of claimed and handled events. */
  get size(): number {
    return this.#entries.size;
  }

  // Not async: no other claim may run between the read and the write.
  claim(id: string, leaseMs: number): Promise<WebhookClaim> {
    const now = this.#now();
    this.#removeExpired(now);
    const entry = this.#entries.get(id);
    if (entry !== undefined && entry.until > now) return Promise.resolve(entry.isDone ? 'done' : 'in_progress');
    this.#entries.delete(id);
    if (this.size >= this.#maxEntries && !this.#makeRoom(now)) {
      // If it forgot a claim, its event would be handled twice. The service retries later.
      return Promise.reject(
        new Error(`More than ${String(this.#maxEntries)} webhook events are being handled at once. Raise maxEntries.`),
      );
    }
    this.#entries.set(id, { isDone: false, until: now + leaseMs });
    return Promise.resolve('new');
  }

  complete(id: string, keepMs: number): Promise<void> {
    const now = this.#now();
    this.#entries.delete(id); // So that set() adds it at the end.
    this.#entries.set(id, { isDone: true, until: now + keepMs });
    if (this.size > this.#maxEntries) this.#makeRoom(now);
    return Promise.resolve();
  }

  release(id: string): Promise<void> {
    if (this.#entries.get(id)?.isDone === false) this.#entries.delete(id);
    return Promise.resolve();
  }

  /** Removes expired entries up to the first that is not: usually the oldest expire first. */
  #removeExpired(now: number): void {
    for (const [id, { until }] of this.#entries) {
      if (until > now) return;
      this.#entries.delete(id);
    }
  }

  /** Removes the oldest handled event or expired claim. */
  #makeRoom(now: number): boolean {
    for (const [id, { isDone, until }] of this.#entries) {
      if (isDone || until <= now) return this.#entries.delete(id);
    }
    return false;
  }
}
