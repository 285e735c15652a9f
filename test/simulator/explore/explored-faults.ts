/** Faults that are chosen, call by call, and not drawn. */
import type { ActiveFaults } from '../faults.js';
import type { Faults } from '../parts.js';
import type { Exploration, PossibleFault } from '../plan.js';
import { Random } from '../random.js';
import type { Fault, FaultName } from '../steps.js';
import type { Choices } from './choices.js';

/** Takes the first of everything, and no time. */
class Least extends Random {
  override next(): number {
    return 0;
  }

  override between(): number {
    return 0;
  }
}

export class ExploredFaults implements Faults {
  readonly #exploration: Exploration;
  readonly #choices: Choices;
  /** The faults of the plan. */
  readonly #prepared: ActiveFaults;
  readonly #struck = new Set<FaultName>();
  readonly #least = new Least(0);

  constructor(exploration: Exploration, choices: Choices, prepared: ActiveFaults) {
    this.#exploration = exploration;
    this.#choices = choices;
    this.#prepared = prepared;
  }

  strikes(kinds: readonly FaultName[], name: string, process?: number): Fault | undefined {
    const prepared = this.#prepared.strikes(kinds, name, process);
    const possible = this.#possible(kinds, name);
    if (prepared !== undefined || possible.length === 0) return prepared;
    const options = [
      { name: '', cost: 0 } as const,
      ...possible.map((fault) => ({ name: `${name}: ${nameOf(fault)}`, cost: 1 }) as const),
    ];
    const chosen = possible[this.#choices.choose(options) - 1];
    const by = process === undefined ? 'everything' : `process ${String(process)}`;
    this.#choices.happened(by, `${name}: ${chosen?.kind ?? ''} ${String(chosen?.detail)}`);
    if (chosen === undefined) return undefined;
    this.#struck.add(chosen.kind);
    const { kind, detail = 0 } = chosen;
    return { type: 'fault', at: 0, until: Infinity, kind, process: process ?? 0, chance: 1, detail };
  }

  of(): Random {
    return this.#least;
  }

  has(...kinds: readonly FaultName[]): boolean {
    return this.#prepared.has(...kinds) || kinds.some((kind) => this.#struck.has(kind));
  }

  #possible(kinds: readonly FaultName[], name: string): Exploration['faults'] {
    // A crash after a call is a crash before the next one: nobody sees a difference.
    if (!this.#choices.isOpen || name.startsWith('after ')) return [];
    return this.#exploration.faults.filter(
      ({ kind, on }) => kinds.includes(kind) && (on === undefined || new RegExp(on).test(name)),
    );
  }
}

/** Its kind, with its details. */
export function nameOf({ kind, detail }: PossibleFault): string {
  return detail === undefined ? kind : `${kind} ${String(detail)}`;
}
