import type { Runtime } from '../core/runtime.js';
import { ServiceClock } from '../core/service-clock.js';
import type { Settings } from './client-options.js';
import { Credits } from './credits.js';
import { Pace } from './pace.js';
import { RetryBudget } from './retry.js';

/** A rotation uses fewer keys than this at a time. */
const mostKeys = 16;

/** The access keys that a client and its derived clients sent last. A service may quote a replaced key. */
export class RecentKeys {
  readonly #keys = new Set<string>();

  add(key: string | null): void {
    if (key === null || this.#keys.has(key)) return;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > mostKeys && oldest !== undefined) this.#keys.delete(oldest);
  }

  get all(): readonly string[] {
    return [...this.#keys];
  }
}

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

/** The parts of a client that its calls need. */
export interface ClientContext {
  readonly settings: Settings;
  readonly shared: Shared;
  readonly runtime: Runtime;
}
