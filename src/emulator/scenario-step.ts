import type { SeedFile } from './seed/seed-file.js';
import type { Duration } from './service/clock.js';
import type { DeliveryFault, RequestFault } from './state/fault-kinds.js';
import type { PublishingOutcome } from './service/outcomes.js';

/** A step of a scenario that has not happened yet. */
export interface ScenarioEntry {
  /** The ID of the step in this emulator, for `service.scenarios.remove(id)`. */
  readonly id: string;
  /** When it happens, by the emulator's clock. */
  readonly at: string;
  /** The step as it was planned. */
  readonly step: Omit<ScenarioStep, 'at'>;
}

/** The steps of scenarios that have not happened yet. */
export interface EmulatorScenarios {
  /** Returns the planned steps, in the order in which they happen. */
  list(): ScenarioEntry[];
  /** Removes one step. Returns whether it existed. */
  remove(id: string): boolean;
}

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
