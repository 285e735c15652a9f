import type { Post } from '../../posts/posts.js';
import type { Delivery, RequestRecord } from './traffic.js';

/** A change in the emulator. */
export type EmulatorChange = RequestChange | DeliveryChange | PostChange | ClockChange | ScenarioChange | StateChange;

/** A request ended, with or without a reply. */
export interface RequestChange {
  /** The kind of change. */
  readonly type: 'request';
  /** The request, with its reply. */
  readonly request: RequestRecord;
}

/** A delivery attempt ended. */
export interface DeliveryChange {
  /** The kind of change. */
  readonly type: 'delivery';
  /** The attempt. */
  readonly delivery: Delivery;
}

/** A post was added or changed. */
export interface PostChange {
  /** The kind of change. */
  readonly type: 'post';
  /** The post as lists show it. */
  readonly post: Post;
}

/** The time was moved, or its speed changed. The progress of a running clock isn't a change. */
export interface ClockChange {
  /** The kind of change. */
  readonly type: 'clock';
}

/** A step of a scenario was executed. */
export interface ScenarioChange {
  /** The kind of change. */
  readonly type: 'scenario';
  /** The problems of the step. Usually empty: a scenario is tried beforehand. */
  readonly problems: readonly string[];
}

/** Something else changed: read it again. */
export interface StateChange {
  /** The kind of change. */
  readonly type: 'state';
  /** The part to read again. */
  readonly what: ChangedPart;
}

/**
 * The part to read again. `all`: another state was restored. `accounts`: a token expired. `incoming`: a comment or a message arrived, or a run that
 * it began ended; read comments, conversations, automations and their logs again.
 */
export type ChangedPart =
  'all' | 'seed' | 'accounts' | 'incoming' | 'faults' | 'outcomes' | 'scenario' | 'requests' | 'deliveries';

/** Receives changes. */
export type Observer = (change: EmulatorChange) => void;

export class Observers {
  readonly #all = new Set<{ readonly observer: Observer }>();

  add(observer: Observer): () => void {
    // Each call adds a separate entry, so the same function may be added twice.
    const entry = { observer };
    this.#all.add(entry);
    return () => {
      this.#all.delete(entry);
    };
  }

  /** Reports a change to all observers. The change is created only if there are observers. */
  tell(change: () => EmulatorChange): void {
    if (this.#all.size === 0) return;
    const told = change();
    for (const { observer } of this.#all) {
      try {
        observer(told);
      } catch (error) {
        // The service continues, and the owner of the observer must see its error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
