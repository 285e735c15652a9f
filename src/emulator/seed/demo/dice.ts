import { nextRandom } from '../../service/random.js';

export class Dice {
  readonly #holder: { random: number };

  constructor(holder: { random: number }) {
    this.#holder = holder;
  }

  between(low: number, high: number): number {
    return low + Math.floor(nextRandom(this.#holder) * (high - low + 1));
  }

  chance(probability: number): boolean {
    return nextRandom(this.#holder) < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  /** Picks some items and keeps their order. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = from.map((_, index) => index);
    while (left.length > count) left.splice(this.between(0, left.length - 1), 1);
    return left.flatMap((index) => from[index] ?? []);
  }
}
