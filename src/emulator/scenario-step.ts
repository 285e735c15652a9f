import type { SeedFile } from './seed/seed-file.js';
import type { Duration } from './service/clock.js';
import type { DeliveryFault, RequestFault } from './service/fault-kinds.js';
import type { PublishingOutcome } from './service/outcomes.js';

/** A planned event, at a time of the emulator's clock. */
export interface ScenarioStep {
  /** The time from now. */
  readonly at: Duration;
  /** Faults to add, for requests or deliveries depending on their kind. A `timeout` applies to requests. */
  readonly faults?: RequestFault | DeliveryFault | readonly (RequestFault | DeliveryFault)[] | undefined;
  /** The outcomes of targets from then on. */
  readonly outcomes?: PublishingOutcome | readonly PublishingOutcome[] | undefined;
  /** The data to seed then. */
  readonly seed?: SeedFile | undefined;
}
