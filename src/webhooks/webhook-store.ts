/** The result of a claim: this caller may handle the event, another one is handling it, or it was handled. */
export type WebhookClaim = 'new' | 'in_progress' | 'done';

/**
 * Your own store for a receiver. It remembers the handled events. All processes that receive deliveries for the same
 * URL must share it. If one of the `DurableStore` classes fits, pass that instead.
 */
export interface WebhookStore {
  /**
   * Claims an event in one atomic step. If several calls claim the event at the same time, only one may resolve to
   * `new`. A claim that is neither completed nor released must expire after `leaseMs` milliseconds, so that a crash
   * loses no event.
   */
  claim(id: string, leaseMs: number): Promise<WebhookClaim>;
  /** Marks a claimed event as handled, and remembers it for at least `keepMs` milliseconds. */
  complete(id: string, keepMs: number): Promise<void>;
  /** Releases a claimed event, so that the next claim resolves to `new`. */
  release(id: string): Promise<void>;
  /**
   * Returns the part of this store that belongs to one subscription. Implement it if several apps can share the store, so
   * that each app handles every event. A receiver calls it at each delivery.
   *
   * @param scopes names of the subscription, one for each of its secrets. If the names of two calls overlap, they must
   * share their events.
   */
  scopedTo?(scopes: readonly string[]): WebhookStore;
}
