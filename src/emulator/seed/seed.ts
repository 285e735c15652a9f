import type { Service } from '../handlers/handler.js';
import { seedDemo, type DemoSeed } from './demo/demo.js';
import { createSingleSeeds, type SingleSeeds } from './singles.js';

/** Adds single things, each of which gives back what the service would return for it, or a whole fortnight. */
export interface Seed extends SingleSeeds {
  /** Fills the emulator with a fortnight of a small company, up to now. The same seed, the same fortnight. */
  demo(): DemoSeed;
}

export function createSeed(service: Service): Seed {
  const singles = createSingleSeeds(service);
  const seeds: Seed = { ...singles, demo: () => seedDemo(service, singles) };
  // Each seed keeps its own fields and reply, which the type of `fromEntries` can't say.
  return Object.fromEntries(
    Object.entries(seeds).map(([kind, seed]) => [kind, told(service, seed as AnySeed)]),
  ) as unknown as Seed;
}

type AnySeed = (fields?: unknown) => unknown;

/** A seed that tells observers of what it did. */
function told({ store }: Service, seed: AnySeed): AnySeed {
  return (fields) => {
    const seeded = seed(fields);
    store.observers.tell(() => ({ type: 'state', what: 'seed' }));
    return seeded;
  };
}
