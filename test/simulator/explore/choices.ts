/** Every choice of an explored history: who runs next, and what goes wrong. */
import { hashText } from '../random.js';

export interface Option {
  readonly name: string;
  /** 1 for a fault, and for a process that is interrupted. 0 for a process that runs because the last one waits. */
  readonly cost: 0 | 1;
}

/** A choice that an explored history made. Option 0 costs nothing: it is the default. */
export interface Choice {
  readonly options: readonly Option[];
  readonly taken: number;
  /** Equal if the past decides the same future. */
  readonly state: string;
}

/** The choices that differ from the default: the number of the choice, and the number of its option. */
export type Schedule = readonly (readonly [choice: number, option: number])[];

interface Choosing {
  readonly schedule: Schedule;
  readonly named?: readonly NamedChoice[];
}

/** A choice by its name: the n-th time, counted from 1, that a history had the option. It stays right if other calls come and go. */
export interface NamedChoice {
  readonly option: string;
  readonly nth: number;
}

/** An event that can happen now. */
interface Enabled {
  readonly name: string;
  readonly owner: string;
}

/** Decides whether a state, after the last choice of the schedule, was explored before. */
export type IsKnown = (state: string) => boolean;

export class Choices {
  readonly made: Choice[] = [];
  /** Everything that happened while choices were open, for people. */
  readonly story: string[] = [];
  /** The number of the first choice whose future was explored before. */
  knownAt: number | undefined;
  isOpen = false;
  readonly #schedule: ReadonlyMap<number, number>;
  readonly #named: readonly NamedChoice[];
  /** How often each option was there, by name. */
  readonly #offered = new Map<string, number>();
  readonly #last: number;
  readonly #isKnown: IsKnown | undefined;
  readonly #pasts = new Map<string, [number, number]>();
  #current = '';

  constructor({ schedule, named = [] }: Choosing, isKnown?: IsKnown) {
    this.#schedule = new Map(schedule);
    this.#named = named;
    this.#last = schedule.at(-1)?.[0] ?? -1;
    this.#isKnown = isKnown;
  }

  /** Returns the number of the chosen option. */
  choose(options: readonly Option[]): number {
    const number = this.made.length;
    const taken = this.#schedule.get(number) ?? this.#takeNamed(options);
    const option = options[taken];
    if (option === undefined) throw new Error(`Choice ${String(number)} has no option ${String(taken)}.`);
    const state = this.#state();
    this.made.push({ options, taken, state });
    if (number > this.#last && this.knownAt === undefined && this.#isKnown?.(state) === true) this.knownAt = number;
    if (taken > 0 && option.cost > 0) this.tell(`! ${option.name}`);
    return taken;
  }

  #takeNamed(options: readonly Option[]): number {
    const taken = options.findIndex(({ name }) => {
      const nth = (this.#offered.get(name) ?? 0) + 1;
      return this.#named.some((one) => one.option === name && one.nth === nth);
    });
    count(this.#offered, options);
    return Math.max(taken, 0);
  }

  /**
   * Returns the number of the event that runs next. A process runs until it waits, unless it is interrupted.
   * @param enabled the first planned event comes first
   */
  next(enabled: readonly Enabled[]): number {
    if (!this.isOpen) return 0;
    const own = enabled.flatMap(({ owner }, index) => (owner === this.#current ? [index] : []));
    const others = enabled.flatMap(({ owner }, index) =>
      owner !== this.#current && enabled.findIndex((one) => one.owner === owner) === index ? [index] : [],
    );
    const order = [...own, ...others];
    const [only = 0] = order;
    if (order.length > 1) {
      const options = order.map((index, place): Option => {
        const { name = '', owner = '' } = enabled[index] ?? {};
        const isFree = place === 0 || own.length === 0;
        const before = enabled[only]?.name ?? '';
        const interrupts = place === 0 ? owner : `${owner} interrupts ${before}`;
        return { name: owner === this.#current ? `first: ${name}` : interrupts, cost: isFree ? 0 : 1 };
      });
      const index = order[this.choose(options)] ?? only;
      this.#current = enabled[index]?.owner ?? '';
      return index;
    }
    this.#current = enabled[only]?.owner ?? '';
    return only;
  }

  /** Adds to the past of a process, or of the world that all processes share. */
  happened(to: string, text: string): void {
    const [one, other] = this.#pasts.get(to) ?? [1, 2];
    this.#pasts.set(to, [hashText(text, one), hashText(text, other ^ 0x5bd1e995)]);
  }

  tell(line: string): void {
    if (this.isOpen) this.story.push(line);
  }

  #state(): string {
    if (this.#isKnown === undefined) return '';
    const pasts = [...this.#pasts].map(([name, past]) => `${name} ${past.join(' ')}`).sort();
    const all = `${this.#current}: ${pasts.join(', ')}`;
    return `${hashText(all, 1).toString(36)} ${hashText(all, 2).toString(36)}`;
  }
}

/** Returns the names of the choices that differ from the default. */
export function namesOf(choices: readonly Choice[]): NamedChoice[] {
  const offered = new Map<string, number>();
  const names: NamedChoice[] = [];
  for (const { options, taken } of choices) {
    const option = options[taken]?.name ?? '';
    if (taken > 0) names.push({ option, nth: (offered.get(option) ?? 0) + 1 });
    count(offered, options);
  }
  return names;
}

function count(offered: Map<string, number>, options: readonly Option[]): void {
  for (const name of new Set(options.map((option) => option.name))) offered.set(name, (offered.get(name) ?? 0) + 1);
}
