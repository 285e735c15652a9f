import type { SeedFile } from './seed/seed-file.js';
import type { Duration } from './service/clock.js';
import type { DeliveryFault, RequestFault } from './service/fault-kinds.js';
import type { PublishingOutcome } from './service/outcomes.js';

/** Something that happens at a time to come, by the emulator's clock. */
export interface ScenarioStep {
  /** How long after now. */
  readonly at: Duration;
  /** Faults to add, of requests or of deliveries as their kinds tell; a `timeout` is of requests. */
  readonly faults?: RequestFault | DeliveryFault | readonly (RequestFault | DeliveryFault)[] | undefined;
  /** What becomes of targets from then on. */
  readonly outcomes?: PublishingOutcome | readonly PublishingOutcome[] | undefined;
  /** What is seeded then. */
  readonly seed?: SeedFile | undefined;
}
