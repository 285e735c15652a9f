import { CreditLimitError, type ErrorDetails } from '../core/errors.js';
import type { ClientHooks } from '../core/call/hooks.js';
import { keepNewest, type Runtime } from '../core/runtime.js';
import { ServiceClock } from '../core/service-clock.js';
import type { CreditHold } from '../core/call/transport.js';
import type { PlainHeaders } from './headers.js';
import { Pace, type PaceLimits } from './pace.js';
import { RetryBudget } from './retry.js';

/** The parts of a client that its calls need. */
export interface ClientContext {
  readonly settings: Settings;
  readonly shared: Shared;
  readonly runtime: Runtime;
}

/** The checked options of a client. */
export interface Settings {
  readonly baseUrl: string;
  readonly accessKey: string | null | (() => Promise<string>);
  /** `undefined`: the operation's default applies. */
  readonly timeoutMs: number | undefined;
  /** `undefined`: the operation's default applies. */
  readonly totalTimeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly maxResponseBytes: number;
  readonly headers: PlainHeaders;
  /** The caller's replacement. `undefined`: the `fetch` of the runtime. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly hooks: readonly ClientHooks[];
  /** In lower case. */
  readonly requestIdHeader: string | undefined;
  readonly strictResponses: boolean;
  readonly maxCredits: number | undefined;
  readonly limits: PaceLimits;
}

/** The state that a client shares with its derived clients. */
export interface Shared {
  readonly credits: Credits;
  readonly budget: RetryBudget;
  readonly pace: Pace;
  /** The memories of resources, by class. */
  readonly memories: Map<new () => object, object>;
  readonly clock: ServiceClock;
  readonly keys: RecentKeys;
  /** Drifts that were reported, by route and path. */
  readonly reportedDrifts: Set<string>;
}

export function newShared(): Shared {
  return {
    credits: new Credits(),
    budget: new RetryBudget(),
    pace: new Pace(),
    memories: new Map(),
    clock: new ServiceClock(),
    keys: new RecentKeys(),
    reportedDrifts: new Set(),
  };
}

/** A rotation uses fewer keys than this at a time. */
const mostKeys = 16;

/** The access keys that were sent last. A service may quote a replaced key. */
class RecentKeys {
  readonly #keys = new Set<string>();

  add(key: string | null): void {
    if (key === null || this.#keys.has(key)) return;
    this.#keys.add(key);
    keepNewest(this.#keys, mostKeys);
  }

  get all(): readonly string[] {
    return [...this.#keys];
  }
}

/** The parent of a budget, with the limit that it had. */
interface Parent {
  readonly credits: Credits;
  readonly maxCredits: number | undefined;
}

/** Counts and reserves credits. */
export class Credits {
  readonly #budget: number | undefined;
  readonly #parent: Parent | undefined;
  #used = 0;
  #reserved = 0;

  /** @param budget the limit of these credits; `parent` counts them too, and its limits also apply */
  constructor(budget?: number, parent?: Parent) {
    this.#budget = budget;
    this.#parent = parent;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Reserves a credit for a call. The call settles it at its end: spent or released.
   * @throws CreditLimitError concurrent calls must not pass a limit either
   */
  reserve(maxCredits: number | undefined, details: ErrorDetails): (spent: boolean) => void {
    this.#take(1, maxCredits, details);
    return (spent) => {
      this.#add({ reserved: -1, used: spent ? 1 : 0 });
    };
  }

  /**
   * Reserves credits for several calls.
   * @throws CreditLimitError the limits do not allow all of them
   */
  hold(maxCredits: number | undefined, credits: number, details: ErrorDetails): CreditHold {
    this.#take(credits, maxCredits, details);
    let left = credits;
    const release = (count: number) => {
      this.#add({ reserved: -count, used: 0 });
      left -= count;
    };
    return {
      giveBackOne: () => {
        release(Math.min(1, left));
      },
      end: () => {
        release(left);
      },
    };
  }

  #take(credits: number, maxCredits: number | undefined, details: ErrorDetails): void {
    this.#check(credits, maxCredits, details);
    this.#add({ reserved: credits, used: 0 });
  }

  #check(credits: number, maxCredits: number | undefined, details: ErrorDetails): void {
    const taken = this.#used + this.#reserved;
    const limits = [
      { limit: 'the budget', most: this.#budget },
      { limit: 'maxCredits', most: maxCredits },
    ] as const;
    for (const { limit, most } of limits) {
      if (most !== undefined && taken + credits > most)
        throw new CreditLimitError(taken, most, details, { credits, limit });
    }
    if (this.#parent !== undefined) this.#parent.credits.#check(credits, this.#parent.maxCredits, details);
  }

  #add(change: { readonly reserved: number; readonly used: number }): void {
    this.#reserved += change.reserved;
    this.#used += change.used;
    if (this.#parent !== undefined) this.#parent.credits.#add(change);
  }
}
