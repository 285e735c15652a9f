/** One item of a {@link DurableStore} as it stands. */
export interface StoredItem {
  /**
   * A whole number above 0 that counts up with every {@link DurableStore.swap}. No version is used twice for a key, so
   * that one which was read before the key was removed and inserted again fits nothing any more.
   */
  readonly version: number;
  /** The text that was written last. */
  readonly data: string;
}

/** One item of a {@link DurableStore.scan}. */
export interface ScannedItem extends StoredItem {
  /** The item's key. */
  readonly key: string;
}

/** What a {@link DurableStore.swapAndInsert} writes over an item that is there. */
export interface SwappedItem {
  /** The item's key. */
  readonly key: string;
  /** The version that was read. */
  readonly version: number;
  /** The new text. */
  readonly data: string;
  /** As in {@link DurableStore.swap}. */
  readonly wakeAt: number | null;
}

/** What a {@link DurableStore.swapAndInsert} writes anew. */
export interface InsertedItem {
  /** The item's key. */
  readonly key: string;
  /** The item's text. */
  readonly data: string;
  /** As in {@link DurableStore.insert}. */
  readonly wakeAt: number | null;
}

/**
 * Where a publisher and an inbox keep what must outlive a crash: texts under keys, written by compare and set. All
 * processes that share the work share the store.
 *
 * - A promise that resolves to `true` is a promise kept: the write is durable, and every later read in every process
 *   sees it. A write whose outcome stays unknown rejects; it never resolves to a guess.
 * - Keys and data are any text without the character NUL and without half a surrogate pair; a key has at most 2,600
 *   bytes of UTF-8, and data of 1 MB must pass. Anything else is an `InvalidRequestError`.
 * - Keys are ordered by their code points (which is the order of their UTF-8 bytes).
 * - A prefix is literal text: no character of it stands for others.
 *
 * `testDurableStore` of `social-publishing/stores/testing` checks a store against all of this.
 */
export interface DurableStore {
  /**
   * Reads an item.
   * @returns `undefined` where there is none
   */
  get(key: string): Promise<StoredItem | undefined>;

  /**
   * Writes a new item.
   * @param wakeAt when {@link DurableStore.due} first names the key, in milliseconds since 1970, a fraction allowed;
   *   `null`: never
   * @param version the version that the new item gets, where {@link DurableStore.predictableVersions} is `true`: a whole
   *   number from 1 to 2^48, random, so that no item under this key ever had it. Missing: the store draws one
   * @returns `false`: the key is there already, and nothing was written
   */
  insert(key: string, data: string, wakeAt: number | null, version?: number): Promise<boolean>;

  /**
   * Writes or removes an item, where it still has the version that was read.
   * @param version as {@link DurableStore.get} or {@link DurableStore.scan} gave it
   * @param data the new text; `null` removes the item
   * @param wakeAt as in {@link DurableStore.insert}; without meaning where the item is removed
   * @returns `false`: another was faster (or the key is not there), and nothing was written
   */
  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<boolean>;

  /**
   * Names keys that start with the prefix and whose `wakeAt` is `now` or earlier: the oldest `wakeAt` first, and of
   * equal ones in the order of keys. It finds them by an index, however many items are not due.
   * @param limit how many at most: a whole number above 0
   */
  due(prefix: string, now: number, limit: number): Promise<string[]>;

  /**
   * Reads items whose keys start with the prefix, in the order of keys.
   * @param after the key to go on after (the last one of the page before), which need not be there; `undefined`: from
   *   the first
   * @param limit how many at most: a whole number above 0. Fewer than that means that there are no more
   */
  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]>;

  /**
   * `true`: an inserted item gets the version that the caller drew, and each swap adds 1, so that whoever wrote an item
   * need not read it to swap it: a publisher spares a read for each intent. Stores may leave it out. It holds where
   * `insert` names four parameters, so that a wrapper with three is taken for what it is.
   */
  readonly predictableVersions?: true | undefined;

  /**
   * Swaps one item and inserts another one, both in one write or neither: a publisher claims a post and notes it in one
   * commit instead of two. Stores may leave it out, and then it does one after the other, as it does where this one
   * gives `false` or rejects. It is asked for only where `predictableVersions` holds, and where `insert` and `swap` are
   * those of the very class or object that has it: a subclass or a proxy with an `insert` of its own is not passed by.
   *
   * As there, the swap adds 1 to the version. Two items under one key are an `InvalidRequestError`.
   * @returns `false`: the one was swapped by another (or is not there), or the other is there already; nothing was written
   */
  readonly swapAndInsert?: ((swapped: SwappedItem, inserted: InsertedItem) => Promise<boolean>) | undefined;

  /**
   * The same store inside a transaction that the caller has begun: what it writes is there when the caller commits,
   * and never was when the caller rolls back. A key that is there already leaves the transaction usable. Stores that
   * know no such transactions have no such method.
   */
  within?(transaction: unknown): DurableStore;
}
