/** Returns 32 bits of a text, mixed with a start value. */
export function hashText(text: string, start: number): number {
  let hash = start ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Random numbers whose whole state is one integer (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, a limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A whole number between two numbers, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    // Every list in the simulator has an item.
    return items[this.below(items.length)] as T;
  }

  weighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name {
    const entries = Object.entries(weights) as [Name, number][]; // Its type lost the names.
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries[0]?.[0] as Name; // Every table has an entry.
  }
}

/** Draws that depend only on a name and on how often it was drawn, not on the order of other draws. */
export class Draws {
  readonly #seed: number;
  readonly #counts = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  of(name: string): Random {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    return new Random(hashText(name, Math.imul(this.#seed, 31) + count));
  }
}
