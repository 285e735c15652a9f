/** The store of one process, over a network that loses replies, on a server that can be slow or down. */
import { ConfigurationError } from '../../src/core/errors.js';
import type { DurableStore, ScannedItem, StoredItem } from '../../src/stores/store.js';
import { host } from './host.js';
import type { Fault } from './steps.js';
import type { Process, StoreWrite, Surroundings } from './parts.js';

/** The error of a store's driver. */
export class StoreDownError extends Error {
  override readonly name = 'StoreDownError';
}

type Method = 'get' | 'insert' | 'swap' | 'due' | 'scan';

export class SimulatedStore implements DurableStore {
  readonly #world: Surroundings;
  readonly #machine: Process;
  /** The previous results of `due`, by prefix: a lagging replica returns them again. */
  readonly #lastDue = new Map<string, string[]>();
  /** The life of the process in which its store was closed. */
  #closedIn: number | undefined;

  readonly #server: DurableStore;

  constructor(world: Surroundings, machine: Process, server = world.store) {
    this.#server = server;
    this.#world = world;
    this.#machine = machine;
  }

  get(key: string): Promise<StoredItem | undefined> {
    return this.#call('get', key, (store) => store.get(key));
  }

  insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    return this.#call('insert', key, async (store) => {
      const version = await store.insert(key, data, wakeAt);
      if (version !== undefined) this.#wrote({ key, data, wakeAt });
      return version;
    });
  }

  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    return this.#call('swap', key, async (store) => {
      const next = await store.swap(key, version, data, wakeAt);
      if (next !== undefined) this.#wrote({ key, data, wakeAt });
      return next;
    });
  }

  due(prefix: string, now: number, limit: number): Promise<string[]> {
    return this.#call('due', prefix, async (store) => {
      const before = this.#lastDue.get(prefix);
      if (before !== undefined && this.#world.faults.strikes(['due is stale'], prefix) !== undefined) return before;
      const keys = await store.due(prefix, now, limit);
      this.#lastDue.set(prefix, keys);
      return keys;
    });
  }

  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    return this.#call('scan', prefix, (store) => store.scan(prefix, after, limit));
  }

  #wrote(write: StoreWrite): void {
    const { laws, choices } = this.#world;
    laws.written(this.#machine, write);
    choices?.happened('everything', `${this.#machine.name} ${JSON.stringify(write)}`);
    choices?.tell(storyOf(this.#machine.name, write));
  }

  /** A process that ends closes its store, while its calls go on for a while. */
  #isClosed(name: string): boolean {
    const { scheduler, faults } = this.#world;
    const machine = this.#machine;
    if (this.#closedIn === machine.life) return true;
    const fault = faults.strikes(['store is closed'], name, machine.index);
    if (fault === undefined || !faults.of(`close ${name}`).chance(0.1)) return false;
    this.#closedIn = machine.life;
    scheduler.log.push(`${machine.name} closes its store`);
    const { life } = machine;
    scheduler.plan(this.#world, [100, 4_000, 90_000][fault.detail % 3] ?? 0, `${machine.name} ends`, () => {
      if (machine.life === life) machine.crash('after it closed its store');
    });
    return true;
  }

  /** The server executes the call a moment later, and its answer takes a moment as well. */
  #call<T>(method: Method, key: string, execute: (store: DurableStore) => Promise<T>): Promise<T> {
    const { scheduler, faults } = this.#world;
    const machine = this.#machine;
    const name = `${machine.name} ${method} ${key}`;
    if (machine.crashesAt(`before ${name}`)) return never();
    if (this.#isClosed(name)) return Promise.reject(new ConfigurationError('The store was closed.'));
    const fault = faults.strikes(['store fails', 'store loses answers', 'store is slow'], name, machine.index);
    const random = faults.of(name);
    // Most replies come immediately, which saves events.
    const [there, back] = timesOf(fault, random.between(0, 3), Math.max(0, random.between(-5, 2)));
    const { life } = machine;
    return new Promise((resolve, reject) => {
      const answer = (reply: () => void) => {
        if (machine.life !== life || machine.crashesAt(`after ${name}`)) return;
        if (back > 0 || machine.pausedUntil > scheduler.time) {
          scheduler.plan(machine, back, `${name} is answered`, reply);
        } else {
          host.actor = machine;
          reply();
        }
      };
      scheduler.plan(this.#world, there, name, () => {
        if (fault?.kind === 'store fails') {
          answer(() => {
            reject(new StoreDownError('The store is down.'));
          });
          return;
        }
        execute(this.#server).then(
          (value) => {
            this.#world.choices?.happened(machine.name, JSON.stringify([value]));
            answer(() => {
              if (fault?.kind === 'store loses answers') reject(new StoreDownError('The connection was lost.'));
              else resolve(value);
            });
          },
          (error: unknown) => {
            answer(() => {
              reject(error instanceof Error ? error : new Error(String(error)));
            });
          },
        );
      });
    });
  }
}

/** For example: A writes intent/key-0 (sending). */
function storyOf(name: string, { key, data }: StoreWrite): string {
  if (data === null) return `${name} removes ${key}`;
  const { state } = JSON.parse(data) as { state?: string };
  return `${name} writes ${key}${state === undefined ? '' : ` (${state})`}`;
}

/** The milliseconds that a call takes to the server and back. */
function timesOf(fault: Fault | undefined, there: number, back: number): [number, number] {
  if (fault?.kind !== 'store is slow') return [there, back];
  const slowMs = [100, 5_000, 70_000, 700_000][fault.detail % 4] ?? 0;
  return fault.detail % 8 < 4 ? [slowMs + there, back] : [there, slowMs + back];
}

/** The promise of a process that ended. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
