import { OrderedList } from './ordered-list.js';
import { age } from './time.js';

interface Child<T> {
  readonly parent: string;
  readonly at: number;
  readonly order: number;
  readonly record: T;
}

function compare(a: Child<unknown>, b: Child<unknown>): number {
  if (a.parent !== b.parent) return a.parent < b.parent ? -1 : 1;
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.order - b.order;
}

/** Records that belong to something else, as messages do to a conversation, by their time. */
export class Children<T> {
  #list = new OrderedList<Child<T>>(compare);
  #count = 0;

  /** Adds a record. What has no time comes before everything that has one. */
  add(parent: string, time: string | undefined, record: T): void {
    this.#count += 1;
    this.#list.set({ parent, at: age(time), order: this.#count, record });
  }

  /** What belongs to a parent, the newest first; of one instant, what was added last. */
  newestFirst(parent: string): T[] {
    return this.#of(parent)
      .reverse()
      .map(({ record }) => record);
  }

  newest(parent: string): T | undefined {
    const end = this.#list.countBefore((child) => child.parent > parent);
    const [last] = this.#list.slice(Math.max(end - 1, 0), end);
    return last?.parent === parent ? last.record : undefined;
  }

  *values(): Generator<T, void, undefined> {
    for (const { record } of this.#list) yield record;
  }

  fork(): Children<T> {
    const copy = new Children<T>();
    copy.#list = this.#list.fork();
    copy.#count = this.#count;
    return copy;
  }

  #of(parent: string): Child<T>[] {
    const from = this.#list.countBefore((child) => child.parent >= parent);
    return this.#list.slice(
      from,
      this.#list.countBefore((child) => child.parent > parent),
    );
  }
}
