/** The maximum number of keys without an entry, in addition to the number of entries. */
const mostStale = 1_000;

/**
 * A map that finds its oldest entries in constant time. A plain `Map` keeps the slots of removed entries: after 50,000
 * removals, it needs 60 microseconds to find the oldest of 50,000.
 */
export class OldestFirst<Value> {
  readonly #entries = new Map<string, { readonly value: Value; place: number }>();
  /** The keys by place. A key whose entry was removed, or set again, has no entry at its place. */
  #keys: string[] = [];
  /** Before this place, no key has an entry. */
  #start = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Sets an entry, which is the newest then. */
  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, place: this.#keys.length });
    this.#keys.push(key);
    if (this.#keys.length > 2 * this.size + mostStale) this.#removeStale();
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Removes the oldest entries beyond a number. */
  keepNewest(most: number): void {
    if (this.size <= most) return;
    for (const [oldest] of this) {
      this.delete(oldest);
      if (this.size <= most) return;
    }
  }

  /** The entries, the oldest first. They may be removed meanwhile. */
  *[Symbol.iterator](): Generator<readonly [key: string, value: Value], void, undefined> {
    for (let place = this.#start; place < this.#keys.length; place += 1) {
      const key = this.#keys[place] ?? '';
      const entry = this.#entries.get(key);
      if (entry?.place === place) yield [key, entry.value];
      else if (place === this.#start) this.#start += 1;
    }
  }

  #removeStale(): void {
    this.#keys = [...this.#entries.keys()];
    this.#start = 0;
    for (const [place, key] of this.#keys.entries()) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) entry.place = place;
    }
  }
}
