import type { Post } from '../../resources/posts.js';
import type { Delivery, RequestRecord } from './traffic.js';

/** Something that changed in the emulator. */
export type EmulatorChange = RequestChange | DeliveryChange | PostChange | ClockChange | ScenarioChange | StateChange;

/** A request was answered, or broken off. */
export interface RequestChange {
  /** A request. */
  readonly type: 'request';
  /** The request, with its reply. */
  readonly request: RequestRecord;
}

/** An attempt at a delivery has ended. */
export interface DeliveryChange {
  /** A delivery. */
  readonly type: 'delivery';
  /** The attempt. */
  readonly delivery: Delivery;
}

/** A post is new, or is another than before. */
export interface PostChange {
  /** A post. */
  readonly type: 'post';
  /** The post as lists show it. */
  readonly post: Post;
}

/** The time was moved, or runs in another way. What a running clock does by itself is no change. */
export interface ClockChange {
  /** The clock. */
  readonly type: 'clock';
}

/** A step of a scenario was carried out. */
export interface ScenarioChange {
  /** A scenario. */
  readonly type: 'scenario';
  /** What of the step could not be done. Usually empty: a scenario is tried beforehand. */
  readonly problems: readonly string[];
}

/** Something else is another than before: look again. */
export interface StateChange {
  /** The state. */
  readonly type: 'state';
  /** What to look at. */
  readonly what: ChangedPart;
}

/**
 * What to look at again: `all` after another state was put in place; `incoming` after a comment or a message came in, and after
 * a run that it began ended: comments, conversations, automations and their logs.
 */
export type ChangedPart = 'all' | 'seed' | 'incoming' | 'faults' | 'outcomes' | 'requests' | 'deliveries';

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
