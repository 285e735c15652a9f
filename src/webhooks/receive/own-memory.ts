/** The claim of an event by the call that handles it. */
export interface EventClaim {
  readonly complete: () => Promise<unknown>;
  /** Releases the claim, so that the next attempt handles the event. */
  readonly release: () => Promise<unknown>;
}

/** Why a claim is refused: the event was handled, or another call is handling it. */
export type ClaimRefusal = 'done' | 'in_progress';

/** How many handled events a receiver without a store remembers. */
const maxRemembered = 50_000;

/** The memory of a receiver without a store. It forgets the oldest handled events. */
export class OwnMemory {
  readonly #now: () => number;
  readonly #keepMs: number;
  readonly #max: number;
  readonly #claimed = new Set<string>();
  /** When each handled event is forgotten, by ID, the oldest first. */
  readonly #done = new Map<string, number>();

  constructor({ now, keepMs }: { readonly now: () => number; readonly keepMs: number }, max = maxRemembered) {
    this.#now = now;
    this.#keepMs = keepMs;
    this.#max = max;
  }

  claim(id: string): EventClaim | ClaimRefusal {
    this.#forget();
    if (this.#done.has(id)) return 'done';
    if (this.#claimed.has(id)) return 'in_progress';
    this.#claimed.add(id);
    const release = () => {
      this.#claimed.delete(id);
      return Promise.resolve();
    };
    const complete = () => {
      this.#done.set(id, this.#now() + this.#keepMs);
      return release();
    };
    return { complete, release };
  }

  /** Removes expired events, and the oldest if there are too many. */
  #forget(): void {
    for (const [id, until] of this.#done) {
      if (until > this.#now() && this.#done.size <= this.#max) return;
      this.#done.delete(id);
    }
  }
}
