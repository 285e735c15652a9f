/**
 * Records by ID, in the order in which they came. A record is never changed in place: another one is set. So a fork can share
 * all of them, and the map itself until one side changes.
 */
export class Table<T> {
  #records = new Map<string, T>();
  #shared = false;

  get size(): number {
    return this.#records.size;
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  set(id: string, record: T): void {
    this.#own().set(id, record);
  }

  delete(id: string): void {
    this.#own().delete(id);
  }

  ids(): IterableIterator<string> {
    return this.#records.keys();
  }

  values(): IterableIterator<T> {
    return this.#records.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#records.entries();
  }

  /** A table of the same records. Neither table sees what becomes of the other. */
  fork(): Table<T> {
    this.#shared = true;
    const copy = new Table<T>();
    copy.#records = this.#records;
    copy.#shared = true;
    return copy;
  }

  #own(): Map<string, T> {
    if (this.#shared) {
      this.#records = new Map(this.#records);
      this.#shared = false;
    }
    return this.#records;
  }
}
