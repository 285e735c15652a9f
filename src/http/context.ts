import { CreditLimitError, type ErrorDetails } from '../core/errors.js';
import type { ClientHooks } from '../core/call/hooks.js';
import type { Runtime } from '../core/runtime.js';
import { ServiceClock } from '../core/service-clock.js';
import type { ReleaseCredits } from '../core/call/transport.js';
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
export type Shared = Readonly<ReturnType<typeof newShared>>;

export function newShared() {
  return {
    credits: new Credits(),
    budget: new RetryBudget(),
    pace: new Pace(),
    /** The memories of resources, by class. */
    memories: new Map<new () => object, object>(),
    clock: new ServiceClock(),
    /** The access keys that were sent last. A service may quote a replaced key. */
    keys: new Set<string>(),
    /** Drifts that were reported, by route and path. */
    reportedDrifts: new Set<string>(),
  };
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
   * Reserves credits for calls: concurrent calls must not pass a limit either.
   * @throws CreditLimitError the limits do not allow all of them
   */
  hold(maxCredits: number | undefined, credits: number, details: ErrorDetails): ReleaseCredits {
    this.#check(credits, maxCredits, details);
    this.#add(credits, 0);
    return (released, spent = 0) => {
      this.#add(-released, spent);
    };
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

  #add(reserved: number, used: number): void {
    this.#reserved += reserved;
    this.#used += used;
    if (this.#parent !== undefined) this.#parent.credits.#add(reserved, used);
  }
}
