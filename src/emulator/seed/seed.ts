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
  return { ...singles, demo: () => seedDemo(service, singles) };
}
