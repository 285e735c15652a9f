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

/** Creates the claims of a receiver without a store. They forget the oldest handled events. */
export function claimsInMemory(
  { now, keepMs }: { readonly now: () => number; readonly keepMs: number },
  max = maxRemembered,
): (id: string) => EventClaim | ClaimRefusal {
  const claimed = new Set<string>();
  /** When each handled event is forgotten, by ID, the oldest first. */
  const done = new Map<string, number>();
  /** Removes expired events, and the oldest if there are too many. */
  const forget = () => {
    for (const [id, until] of done) {
      if (until > now() && done.size <= max) return;
      done.delete(id);
    }
  };
  return (id) => {
    forget();
    if (done.has(id)) return 'done';
    if (claimed.has(id)) return 'in_progress';
    claimed.add(id);
    const release = () => Promise.resolve(claimed.delete(id));
    const complete = () => {
      done.set(id, now() + keepMs);
      return release();
    };
    return { complete, release };
  };
}
