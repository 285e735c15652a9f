import type { CreateMemory } from '../core/creates.js';
import type { Runtime } from '../core/runtime.js';
import { LearnedClock } from './clock.js';
import { Credits } from './credits.js';
import { RetryBudget } from './retry.js';
import type { Settings } from './settings.js';
import type { Teller } from './teller.js';

/** What clients made by `withOptions` share with the client that they were made from. */
export interface Shared {
  readonly credits: Credits;
  readonly budget: RetryBudget;
  readonly creates: CreateMemory;
  readonly clock: LearnedClock;
  /** Drifts that were told, by route and path. */
  readonly toldDrifts: Set<string>;
}

export function newShared(): Shared {
  return {
    credits: new Credits(),
    budget: new RetryBudget(),
    creates: { knownPostIds: new Set(), failed: new WeakMap() },
    clock: new LearnedClock(),
    toldDrifts: new Set(),
  };
}

/** What a call needs of the client that makes it. */
export interface ClientContext {
  readonly settings: Settings;
  readonly shared: Shared;
  readonly runtime: Runtime;
  readonly teller: Teller;
}
