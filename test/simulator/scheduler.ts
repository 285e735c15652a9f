import { createHash } from 'node:crypto';
import { setImmediate as atNextTurn } from 'node:timers';
import type { Choices } from './explore/choices.js';
import { host, type Actor } from './host.js';

/** A planned event. */
interface Planned {
  at: number;
  readonly name: string;
  readonly order: number;
  readonly actor: SimulatedActor;
  /** The process whose work it is. */
  readonly owner: string;
  /** The life of its actor: a crash ends it. */
  readonly life: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** An actor that can end and be paused. */
export interface SimulatedActor extends Actor {
  readonly name: string;
  readonly life: number;
  readonly pausedUntil: number;
}

/** Resolves after everything that can run now has run, and before anything else. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    atNextTurn(resolve);
  });
}

/** Runs events in the order of their time, then of their names. Each one ends before the next one starts. */
export class Scheduler {
  /** The true time, in milliseconds since 1970. No actor's clock shows it. */
  time: number;
  /** The past events, for the hash. */
  readonly log: string[] = [];
  #count = 0;
  #heap: Planned[] = [];

  readonly #choices: Choices | undefined;

  /** @param choices decide the order of events of one time. Default: their names do */
  constructor(start: number, choices?: Choices) {
    this.time = start;
    this.#choices = choices;
  }

  get events(): number {
    return this.log.length;
  }

  hash(): string {
    return createHash('sha256').update(this.log.join('\n')).digest('hex').slice(0, 16);
  }

  /** Plans an event for an actor, a number of milliseconds from now. A crash of the actor cancels it. */
  plan(actor: SimulatedActor, inMs: number, name: string, run: () => void): { cancel(): void } {
    this.#count += 1;
    const planned: Planned = {
      at: this.time + Math.max(0, inMs),
      name,
      order: this.#count,
      actor,
      owner: actor.name === 'world' ? ((host.actor as Partial<SimulatedActor>).name ?? 'world') : actor.name,
      life: actor.life,
      run,
      isCancelled: false,
    };
    this.#push(planned);
    return {
      cancel: () => {
        planned.isCancelled = true;
      },
    };
  }

  /** Runs events up to a time, or until the history stops. */
  async runUntil(time: number, mustStop: () => boolean): Promise<void> {
    const idle = host.actor;
    for (let next = this.#first(time); next !== undefined && next.at <= time; next = this.#first(time)) {
      this.#remove(next);
      if (next.isCancelled || next.life !== next.actor.life) continue;
      if (next.actor.pausedUntil > next.at) {
        next.at = next.actor.pausedUntil;
        this.#push(next);
        continue;
      }
      this.time = next.at;
      this.log.push(`${String(next.at)} ${next.name}`);
      this.#choices?.happened(next.owner, `${String(next.at)} ${next.name}`);
      host.actor = next.actor;
      next.run();
      await settled();
      host.actor = idle;
      if (mustStop()) return;
    }
    this.time = Math.max(this.time, time);
  }

  #first(until: number): Planned | undefined {
    return this.#choices === undefined ? this.#heap[0] : this.#chosen(this.#choices, until);
  }

  /** One of the events that can happen at the earliest time. */
  #chosen(choices: Choices, until: number): Planned | undefined {
    let at = Infinity;
    for (const one of this.#heap) {
      if (one.isCancelled || one.life !== one.actor.life) this.#heap = this.#heap.filter((other) => other !== one);
      else {
        one.at = Math.max(one.at, one.actor.pausedUntil);
        at = Math.min(at, one.at);
      }
    }
    if (at > until) return undefined;
    const enabled = this.#heap.filter((one) => one.at === at).sort((a, b) => a.order - b.order);
    return enabled[choices.next(enabled)];
  }

  #remove(planned: Planned): void {
    if (this.#choices === undefined) this.#pop();
    else this.#heap = this.#heap.filter((one) => one !== planned);
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    if (this.#choices !== undefined) {
      heap.push(planned);
      return;
    }
    let at = heap.push(planned) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(planned, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = planned;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = heap[child];
      if (least === undefined || !isBefore(least, last)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Planned, other: Planned): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.name !== other.name) return one.name < other.name;
  return one.order < other.order;
}
