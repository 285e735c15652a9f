import type { Post } from '../../resources/posts.js';
import type { Delivery, RequestRecord } from './traffic.js';

/** Something that changed in the emulator. */
export type EmulatorChange =
  /** A request was answered, or broken off. `reply` is missing where none was sent, and `body` no longer than 4,096 characters. */
  | {
      readonly type: 'request';
      readonly request: RequestRecord;
      readonly reply?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
    }
  /** An attempt at a delivery has ended. */
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  /** A post is new, or is another than before. */
  | { readonly type: 'post'; readonly post: Post }
  /** A step of a scenario was carried out; `problems` says what of it could not be done. */
  | { readonly type: 'scenario'; readonly problems: readonly string[] }
  /** The time was moved, or runs in another way. What a running clock does by itself is no change. */
  | { readonly type: 'clock' }
  /** Something else is another than before: look again. */
  | { readonly type: 'state'; readonly what: ChangedPart };

/** What to look at again: `all` after another state was put in place. */
export type ChangedPart = 'all' | 'seed' | 'faults' | 'outcomes' | 'requests' | 'deliveries';

/** Is told of changes. */
export type Observer = (change: EmulatorChange) => void;

/** Those who want to know what changes. */
export class Observers {
  readonly #all = new Set<Observer>();

  /** Adds one; what it returns takes it out. */
  add(observer: Observer): () => void {
    // Each call has an entry of its own, so that the same function may be added twice.
    const entry: Observer = (change) => {
      observer(change);
    };
    this.#all.add(entry);
    return () => {
      this.#all.delete(entry);
    };
  }

  /** Tells all of a change, which is made only where somebody listens. */
  tell(change: () => EmulatorChange): void {
    if (this.#all.size === 0) return;
    const told = change();
    for (const observer of this.#all) {
      try {
        observer(told);
      } catch (error) {
        // The service goes on; whose mistake it is must hear of it.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
