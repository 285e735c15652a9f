/**
 * Records by ID, in the order in which they were added. Records are never changed in place: `set` replaces them. So a fork
 * shares the records, and the map until one of the two tables changes.
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

  /** Returns a table of the same records. A change of one table doesn't change the other. */
  fork(): Table<T> {
    const fork = new Table<T>();
    fork.#records = this.#records;
    fork.#shared = true;
    this.#shared = true;
    return fork;
  }

  #own(): Map<string, T> {
    if (this.#shared) {
      this.#records = new Map(this.#records);
      this.#shared = false;
    }
    return this.#records;
  }
}

export function addTo<T>(table: Table<readonly T[]>, owner: string, record: T): void {
  table.set(owner, [...(table.get(owner) ?? []), record]);
}

export function replaceIn<T>(table: Table<readonly T[]>, owner: string, before: T, after: T): void {
  table.set(
    owner,
    (table.get(owner) ?? []).map((record) => (record === before ? after : record)),
  );
}
