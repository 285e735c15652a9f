/** Compares two items as `Array.prototype.sort` does. Two items for which it returns 0 are the same item. */
export type Compare<T> = (a: T, b: T) => number;

/**
 * Items in a sorted array, found by binary search. A fork shares the array until one of the two lists changes.
 */
export class SortedList<T> {
  readonly #compare: Compare<T>;
  #items: T[] = [];
  /**
   * The index of the first item. Removing items from the front of a long array one by one would move all others each
   * time.
   */
  #start = 0;
  #shared = false;

  constructor(compare: Compare<T>) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length - this.#start;
  }

  at(place: number): T | undefined {
    return this.#items[this.#start + place];
  }

  first(): T | undefined {
    return this.at(0);
  }

  has(item: T): boolean {
    return this.#isAt(this.#placeOf(item), item);
  }

  set(item: T): void {
    const items = this.#own();
    const place = this.#placeOf(item);
    if (place === items.length) items.push(item);
    else if (this.#isAt(place, item)) items[place] = item;
    else items.splice(place, 0, item);
  }

  delete(item: T): void {
    const items = this.#own();
    const place = this.#placeOf(item);
    if (this.#isAt(place, item)) items.splice(place, 1);
  }

  shift(): T | undefined {
    const first = this.first();
    if (first === undefined) return undefined;
    this.#start += 1;
    if (this.#start > this.#items.length / 2) this.#copy();
    return first;
  }

  clear(): void {
    this.#items = [];
    this.#start = 0;
    this.#shared = false;
  }

  /** Counts the items at the front for which the test is true. The test must be false for all items after them. */
  countWhile(test: (item: T) => boolean): number {
    return this.#placeAfter(test) - this.#start;
  }

  slice(from = 0, to = this.size): T[] {
    return this.#items.slice(this.#start + from, this.#start + to);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.slice()[Symbol.iterator]();
  }

  /** Returns a list of the same items. A change of one list doesn't change the other. */
  fork(): SortedList<T> {
    const fork = new SortedList(this.#compare);
    fork.#items = this.#items;
    fork.#start = this.#start;
    fork.#shared = true;
    this.#shared = true;
    return fork;
  }

  /** Returns the index of an item, or its insertion point. Most items are added at the end. */
  #placeOf(item: T): number {
    const last = this.#items.at(-1);
    if (last === undefined || this.#compare(last, item) < 0) return this.#items.length;
    return this.#placeAfter((other) => this.#compare(other, item) < 0);
  }

  #placeAfter(test: (item: T) => boolean): number {
    let low = this.#start;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && test(item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAt(place: number, item: T): boolean {
    const found = this.#items[place];
    return found !== undefined && this.#compare(found, item) === 0;
  }

  #own(): T[] {
    if (this.#shared) this.#copy();
    return this.#items;
  }

  #copy(): void {
    this.#items = this.slice();
    this.#start = 0;
    this.#shared = false;
  }
}
