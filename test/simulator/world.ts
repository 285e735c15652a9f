import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { Choices } from './explore/choices.js';
import { ExploredFaults } from './explore/explored-faults.js';
import { ActiveFaults } from './faults.js';
import { Laws } from './laws.js';
import { Machine } from './machine.js';
import { type Plan } from './plan.js';
import { hour, start } from './steps.js';
import { Draws, hashText, Random } from './random.js';
import type { Faults, Surroundings } from './parts.js';
import { Scheduler } from './scheduler.js';
import { Secrets } from './secrets.js';
import { SimulatedService } from './service.js';

/** The world around the processes. It is the actor of everything outside of them. */
export class World implements Surroundings {
  readonly name = 'world';
  readonly life = 1;
  readonly pausedUntil = -Infinity;
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly choices: Choices | undefined;
  readonly store: MemoryDurableStore;
  /** The inbox of another service has a store of its own. */
  readonly inboxStore: MemoryDurableStore;
  readonly baseUrl: string;
  /** The service, and the scope of an intent, whose publisher wrote an intent or a claim, by key of the store. */
  readonly writers: Map<string, string>;
  readonly secrets = new Secrets();
  readonly laws: Laws;
  readonly service: SimulatedService;
  readonly machines: readonly Machine[];
  readonly #random: Random;

  /** @param first the world of the first service, with the store that both have */
  constructor(plan: Plan, choices: Choices | undefined, first?: World) {
    this.plan = plan;
    this.#random = new Random(hashText('world', plan.seed));
    this.choices = choices;
    this.scheduler = first?.scheduler ?? new Scheduler(start, choices);
    this.store = first?.store ?? new MemoryDurableStore();
    this.inboxStore = first === undefined ? this.store : new MemoryDurableStore();
    this.writers = first?.writers ?? new Map<string, string>();
    this.baseUrl = first === undefined ? 'https://service.test' : 'https://other.test';
    const drawn = new ActiveFaults(plan, this.scheduler, new Draws(hashText('faults', plan.seed)));
    const { explored } = plan;
    this.faults = explored && choices ? new ExploredFaults(explored, choices, drawn) : drawn;
    this.laws = new Laws(this);
    this.service = new SimulatedService(this);
    this.machines = plan.processes.map((process, index) => new Machine(this, index, process));
  }

  get hasGoodClocks(): boolean {
    return (
      this.plan.processes.every(({ offsetMs, drift }) => Math.abs(offsetMs) <= 500 && drift === 0) &&
      this.hasSteadyClocks &&
      !this.faults.has('Date from a cache', 'old Date')
    );
  }

  get hasSteadyClocks(): boolean {
    return this.isPunctual && !this.faults.has('clock step');
  }

  get hasFarClock(): boolean {
    return this.plan.processes.some(({ offsetMs }) => Math.abs(offsetMs) > 24 * hour);
  }

  get isPunctual(): boolean {
    return !this.faults.has('pause', 'store is slow');
  }

  readonly runtimeGlobals = {};

  fetch(): Promise<Response> {
    return Promise.reject(new Error('The service sends no requests by fetch.'));
  }

  now(): number {
    return this.service.now();
  }

  monotonic(): number {
    return this.scheduler.time - start;
  }

  random(): number {
    return this.#random.next();
  }

  setTimer(run: () => void, ms: number): { cancel(): void } {
    return this.scheduler.plan(this, ms, 'timer of the service', run);
  }
}
