/** The result of a claim: this caller may handle the event, another one is handling it, or it was handled. */
export type WebhookClaim = 'new' | 'in_progress' | 'done';

/**
 * A store of your own for a receiver, which remembers the handled events. Processes that receive for the same URL must
 * share it. If you have no such store, pass a `DurableStore` to the receiver.
 */
export interface WebhookStore {
  /**
   * Claims an event in one atomic step: of several simultaneous claims, only one may resolve to `new`. A claim that is
   * neither completed nor released expires after `leaseMs` milliseconds, so that no event is lost in a crash.
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
