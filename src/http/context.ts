import type { Runtime } from '../core/runtime.js';
import { RecentKeys } from './keys.js';
import { ServiceClock } from '../core/service-clock.js';
import { Credits } from './credits.js';
import { Pace } from './pace.js';
import { RetryBudget } from './retry.js';
import type { Settings } from './client-options.js';

/** What clients made by `withOptions` share with the client that they were made from. */
export interface Shared {
  readonly credits: Credits;
  readonly budget: RetryBudget;
  readonly pace: Pace;
  /** What resources remember of their calls, by its class. */
  readonly memories: Map<new () => object, object>;
  readonly clock: ServiceClock;
  /** The keys that were sent last: a service may still speak of one that was replaced. */
  readonly keys: RecentKeys;
  /** Drifts that were told, by route and path. */
  readonly toldDrifts: Set<string>;
}

export function newShared(): Shared {
  return {
    credits: new Credits(),
    budget: new RetryBudget(),
    pace: new Pace(),
    memories: new Map(),
    clock: new ServiceClock(),
    keys: new RecentKeys(),
    toldDrifts: new Set(),
  };
}

/** What a call needs of the client that makes it. */
export interface ClientContext {
  readonly settings: Settings;
  readonly shared: Shared;
  readonly runtime: Runtime;
}
