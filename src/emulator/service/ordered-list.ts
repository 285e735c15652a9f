/** How many items a chunk holds before it is split. Small enough to copy in no time, large enough to have few. */
const chunkSize = 512;

/** What an item is ordered by: the first number, then the second one. The two together tell any two items apart. */
export type OrderKey<T> = readonly [major: (item: T) => number, minor: (item: T) => number];

interface Chunk<T> {
  /** The list that may change it in place. For every other list that holds it, it is to be copied first. */
  readonly owner: object;
  readonly items: T[];
  /** The items' keys, side by side: a search that looked into the items would wait for memory at each step. */
  readonly majors: number[];
  readonly minors: number[];
}

/**
 * Items in order, with places that are found by halving. They are kept in chunks, so that adding and removing cost the same
 * anywhere, and so that a fork shares all chunks until one of the two lists changes them.
 */
export class OrderedList<T> {
  readonly #key: OrderKey<T>;
  #owner: object = {};
  #chunks: Chunk<T>[] = [];
  #chunksOwner: object = this.#owner;
  #size = 0;

  constructor(...key: OrderKey<T>) {
    this.#key = key;
  }

  get size(): number {
    return this.#size;
  }

  /** A list of the same items. Neither list sees what becomes of the other. */
  fork(): OrderedList<T> {
    const copy = new OrderedList(...this.#key);
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

  last(): T | undefined {
    return this.#chunks.at(-1)?.items.at(-1);
  }

  /** Whether there is an item with the key of this one. */
  has(item: T): boolean {
    const [major, minor] = this.#keyOf(item);
    const chunk = this.#chunks[this.#chunkFor(major, minor)];
    if (chunk === undefined) return false;
    const place = placeIn(chunk, major, minor);
    return chunk.majors[place] === major && chunk.minors[place] === minor;
  }

  /** Takes all items out. */
  clear(): void {
    this.#chunks = [];
    this.#chunksOwner = this.#owner;
    this.#size = 0;
  }

  /** Adds an item, or puts it in the place of the one with its key. */
  set(item: T): void {
    const [major, minor] = this.#keyOf(item);
    if (this.#chunks.length === 0) this.#ownChunks().push({ owner: this.#owner, items: [], majors: [], minors: [] });
    const at = this.#chunkFor(major, minor);
    const chunk = this.#ownChunk(at);
    const place = placeIn(chunk, major, minor);
    if (chunk.majors[place] === major && chunk.minors[place] === minor) {
      chunk.items[place] = item;
      return;
    }
    insert(chunk.items, place, item);
    insert(chunk.majors, place, major);
    insert(chunk.minors, place, minor);
    this.#size += 1;
    if (chunk.items.length > chunkSize) this.#split(at, place === chunkSize);
  }

  /** Takes the item with the key of this one out. */
  delete(item: T): void {
    const [major, minor] = this.#keyOf(item);
    const at = this.#chunkFor(major, minor);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const place = placeIn(chunk, major, minor);
    if (chunk.majors[place] === major && chunk.minors[place] === minor) this.#remove(at, place);
  }

  /** Takes the first item out. */
  shift(): T | undefined {
    const first = this.first();
    if (first !== undefined) this.#remove(0, 0);
    return first;
  }

  /** The first item that is what is looked for, among those with a first number, from a second one on. */
  find(isIt: (item: T) => boolean, major: number, minor = -Infinity): T | undefined {
    for (let at = this.#chunkFor(major, minor); at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at];
      if (chunk === undefined) break;
      const { items, majors } = chunk;
      for (let place = placeIn(chunk, major, minor); place < items.length; place += 1) {
        const item = items[place];
        if (item === undefined || majors[place] !== major) return undefined;
        if (isIt(item)) return item;
      }
    }
    return undefined;
  }

  /** How many items have a first number below this one. */
  countBelow(major: number): number {
    const at = this.#chunkFor(major, -Infinity);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return 0;
    const before = this.#chunks.slice(0, at).reduce((sum, { items }) => sum + items.length, 0);
    return before + placeIn(chunk, major, -Infinity);
  }

  /** The items from one place up to, and without, another. */
  slice(from = 0, to = this.#size): T[] {
    const found: T[] = [];
    this.each(from, to, false, (item) => {
      found.push(item);
    });
    return found;
  }

  /** Shows each item from one place up to, and without, another; from the last one on where `backwards` is true. */
  each(from: number, to: number, backwards: boolean, visit: (item: T) => void): void {
    let start = backwards ? this.#size : 0;
    for (let index = 0; index < this.#chunks.length; index += 1) {
      const items = this.#chunks[backwards ? this.#chunks.length - 1 - index : index]?.items ?? [];
      if (backwards) start -= items.length;
      const first = Math.max(from - start, 0);
      const end = Math.min(to - start, items.length);
      for (let place = 0; place < end - first; place += 1) {
        const item = items[backwards ? end - 1 - place : first + place];
        if (item !== undefined) visit(item);
      }
      if (!backwards) start += items.length;
    }
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const { items } of this.#chunks) yield* items;
  }

  #keyOf(item: T): [major: number, minor: number] {
    const [major, minor] = this.#key;
    return [major(item), minor(item)];
  }

  /** The chunk where a key is, or belongs; the last one for what comes after all others. */
  #chunkFor(major: number, minor: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = this.#chunks[middle];
      if (chunk !== undefined && isBelow(chunk, chunk.items.length - 1, major, minor)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #remove(at: number, place: number): void {
    const chunk = this.#ownChunk(at);
    remove(chunk.items, place);
    remove(chunk.majors, place);
    remove(chunk.minors, place);
    this.#size -= 1;
    if (chunk.items.length === 0) this.#ownChunks().splice(at, 1);
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
    const chunk = chunks[at] ?? { owner: {}, items: [], majors: [], minors: [] };
    if (chunk.owner === this.#owner) return chunk;
    const { items, majors, minors } = chunk;
    const own = { owner: this.#owner, items: [...items], majors: [...majors], minors: [...minors] };
    chunks[at] = own;
    return own;
  }

  /** Splits a full chunk: in halves, or where the list grows at its end, so that full chunks stay behind. */
  #split(at: number, atEnd: boolean): void {
    const chunk = this.#ownChunk(at);
    const rest = cut(chunk, atEnd ? chunkSize : chunkSize >>> 1);
    this.#ownChunks().splice(at + 1, 0, { owner: this.#owner, ...rest });
  }
}

/** `splice` makes an array of what it takes out, of nothing too. Most things are added at the end. */
function insert<T>(array: T[], place: number, value: T): void {
  if (place === array.length) array.push(value);
  else array.splice(place, 0, value);
}

/** Most are taken from the start, as what is due next: `shift` moves the start, and nothing of what lies behind it. */
function remove(array: unknown[], place: number): void {
  if (place === 0) array.shift();
  else array.splice(place, 1);
}

/** Takes what stands from a place on out of a chunk. */
function cut<T>({ items, majors, minors }: Chunk<T>, place: number): Omit<Chunk<T>, 'owner'> {
  return { items: items.splice(place), majors: majors.splice(place), minors: minors.splice(place) };
}

/** The first place in a chunk whose key is not below this one. */
function placeIn(chunk: Chunk<unknown>, major: number, minor: number): number {
  let low = 0;
  let high = chunk.items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(chunk, middle, major, minor)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBelow({ majors, minors }: Chunk<unknown>, place: number, major: number, minor: number): boolean {
  const other = majors[place] ?? Infinity;
  return other < major || (other === major && (minors[place] ?? Infinity) < minor);
}
