import { OrderedList } from './ordered-list.js';
import { Table } from './table.js';
import { age } from './time.js';

interface Child<T> {
  readonly at: number;
  readonly order: number;
  readonly record: T;
}

interface Family<T> {
  /** The collection that may add to it. Every other one that holds it forks it first. */
  readonly owner: object;
  readonly children: OrderedList<Child<T>>;
}

/** Records that belong to something else, as messages do to a conversation, by their time. */
export class Children<T> {
  #families = new Table<Family<T>>();
  #owner: object = {};
  #count = 0;

  /** Adds a record. What has no time comes before everything that has one. */
  add(parent: string, time: string | undefined, record: T): void {
    this.#count += 1;
    this.#family(parent).set({ at: age(time), order: this.#count, record });
  }

  /** Puts another record in the place of one that `newestFirst` gave. */
  replace(parent: string, record: T, next: T): void {
    const children = this.#family(parent);
    const place = children.slice().find((child) => child.record === record);
    if (place !== undefined) children.set({ ...place, record: next });
  }

  /** What belongs to a parent, the newest first; of one instant, what was added last. */
  newestFirst(parent: string): T[] {
    const children = this.#families.get(parent)?.children.slice() ?? [];
    return children.reverse().map(({ record }) => record);
  }

  /** What belongs to each parent, in the order of the parents, the oldest first. */
  *families(): Generator<[parent: string, records: T[]], void, undefined> {
    for (const [parent, { children }] of this.#families.entries())
      yield [parent, children.slice().map(({ record }) => record)];
  }

  newest(parent: string): T | undefined {
    return this.#families.get(parent)?.children.last()?.record;
  }

  fork(): Children<T> {
    const copy = new Children<T>();
    copy.#families = this.#families.fork();
    copy.#count = this.#count;
    this.#owner = {};
    return copy;
  }

  /** The records of a parent, to add to. */
  #family(parent: string): OrderedList<Child<T>> {
    const known = this.#families.get(parent);
    if (known?.owner === this.#owner) return known.children;
    const children =
      known?.children.fork() ??
      new OrderedList<Child<T>>(
        ({ at }) => at,
        ({ order }) => order,
      );
    this.#families.set(parent, { owner: this.#owner, children });
    return children;
  }
}
