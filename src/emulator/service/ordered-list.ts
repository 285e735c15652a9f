/** How many items a chunk holds before it is split. Small enough to copy in no time, large enough to have few. */
const chunkSize = 512;

interface Chunk<T> {
  /** The list that may change it in place. For every other list that holds it, it is to be copied first. */
  readonly owner: object;
  readonly items: T[];
}

/**
 * Items in the order that `compare` gives them, with places that are found by halving. It is kept in chunks, so that adding and
 * removing cost the same anywhere, and so that a fork shares all chunks until one of the two lists changes them.
 *
 * `compare` tells any two items apart: an item that equals another one takes its place.
 */
export class OrderedList<T> {
  readonly #compare: (a: T, b: T) => number;
  #owner: object = {};
  #chunks: Chunk<T>[] = [];
  #chunksOwner: object = this.#owner;
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** A list of the same items. Neither list sees what becomes of the other. */
  fork(): OrderedList<T> {
    const copy = new OrderedList(this.#compare);
    copy.#chunks = this.#chunks;
    copy.#size = this.#size;
    // Owned by nobody from here on: a change on either side copies first.
    this.#owner = {};
    copy.#chunksOwner = {};
    return copy;
  }

  first(): T | undefined {
    return this.#chunks[0]?.items[0];
  }

  /** Adds an item, or puts it in the place of the one that it equals. */
  set(item: T): void {
    const at = this.#chunkFor(item);
    if (at === -1) {
      this.#ownChunks().push({ owner: this.#owner, items: [item] });
      this.#size = 1;
      return;
    }
    const { items } = this.#ownChunk(at);
    const place = this.#placeIn(items, item);
    const other = items[place];
    if (other !== undefined && this.#compare(other, item) === 0) {
      items[place] = item;
      return;
    }
    items.splice(place, 0, item);
    this.#size += 1;
    if (items.length > chunkSize) this.#split(at, place === items.length - 1);
  }

  delete(item: T): boolean {
    const at = this.#chunkFor(item);
    const place = at === -1 ? -1 : this.#placeIn(this.#chunks[at]?.items ?? [], item);
    const other = this.#chunks[at]?.items[place];
    if (other === undefined || this.#compare(other, item) !== 0) return false;
    const { items } = this.#ownChunk(at);
    items.splice(place, 1);
    this.#size -= 1;
    if (items.length === 0) this.#ownChunks().splice(at, 1);
    return true;
  }

  /** Takes the first item out. */
  shift(): T | undefined {
    const first = this.first();
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** How many items come before the first one that passes a test. Every item after that one must pass it, too. */
  countBefore(test: (item: T) => boolean): number {
    const at = firstIndex(this.#chunks, ({ items }) => {
      const last = items.at(-1);
      return last !== undefined && test(last);
    });
    const before = this.#chunks.slice(0, at).reduce((sum, { items }) => sum + items.length, 0);
    return before + firstIndex(this.#chunks[at]?.items ?? [], test);
  }

  /** The items from one place up to, and without, another. */
  slice(from = 0, to = this.#size): T[] {
    const found: T[] = [];
    let start = 0;
    for (const { items } of this.#chunks) {
      if (start >= to) break;
      if (start + items.length > from) {
        for (const item of items.slice(Math.max(from - start, 0), to - start)) found.push(item);
      }
      start += items.length;
    }
    return found;
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const { items } of this.#chunks) yield* items;
  }

  /** The chunk where an item is, or belongs; the last one for what comes after all others. */
  #chunkFor(item: T): number {
    const at = firstIndex(this.#chunks, ({ items }) => {
      const last = items.at(-1);
      return last !== undefined && this.#compare(last, item) >= 0;
    });
    return Math.min(at, this.#chunks.length - 1);
  }

  #placeIn(items: readonly T[], item: T): number {
    return firstIndex(items, (other) => this.#compare(other, item) >= 0);
  }

  #ownChunks(): Chunk<T>[] {
    if (this.#chunksOwner !== this.#owner) {
      this.#chunks = [...this.#chunks];
      this.#chunksOwner = this.#owner;
    }
    return this.#chunks;
  }

  #ownChunk(at: number): Chunk<T> {
    const chunks = this.#ownChunks();
    const chunk = chunks[at] ?? { owner: {}, items: [] };
    if (chunk.owner === this.#owner) return chunk;
    const own = { owner: this.#owner, items: [...chunk.items] };
    chunks[at] = own;
    return own;
  }

  /** Splits a full chunk: in halves, or where the list grows at its end, so that full chunks stay behind. */
  #split(at: number, atEnd: boolean): void {
    const { items } = this.#ownChunk(at);
    const rest = items.splice(atEnd ? items.length - 1 : items.length >>> 1);
    this.#ownChunks().splice(at + 1, 0, { owner: this.#owner, items: rest });
  }
}

/** The first index whose item passes a test that all later ones pass, too; the length where none does. */
function firstIndex<T>(items: readonly T[], test: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && !test(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
