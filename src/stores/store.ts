/** One item of a {@link DurableStore}. */
export interface StoredItem {
  /**
   * A whole number of 1 or more. Every {@link DurableStore.swap} changes it. A store never uses a version twice for a
   * key, not even after a removal and a new insert: an old version then matches nothing.
   */
  readonly version: number;
  /** The text of the last write. */
  readonly data: string;
}

/** One item of a {@link DurableStore.scan}. */
export interface ScannedItem extends StoredItem {
  /** The item's key. */
  readonly key: string;
}

/**
 * Keeps the state of a publisher and an inbox across crashes: texts under keys, written by compare and set. All
 * processes that share the work share the store.
 *
 * - If a write resolves to a version, it is durable. Every later read in every process sees it. If the outcome of a
 *   write stays unknown, the write rejects; it never resolves to a guess.
 * - Keys and data are any text without the character NUL and without lone surrogates. A key has at most 2,600 bytes of
 *   UTF-8, and data of 1 MB must pass. Other keys and data are an `InvalidRequestError`.
 * - Keys are ordered by their code points, which is the order of their UTF-8 bytes.
 * - A prefix is literal text, without wildcards.
 *
 * `testDurableStore` of `social-publishing/stores/testing` checks a store against this contract.
 */
export interface DurableStore {
  /**
   * Reads an item.
   * @returns `undefined` if the key does not exist
   */
  get(key: string): Promise<StoredItem | undefined>;

  /**
   * Writes a new item.
   * @param wakeAt when {@link DurableStore.due} first returns the key, in milliseconds since 1970, a fraction allowed;
   *   `null`: never
   * @returns the item's version; `undefined` if the key exists, and then nothing is written
   */
  insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined>;

  /**
   * Writes or removes an item if it still has the version that the caller read.
   * @param version a version that {@link DurableStore.get}, {@link DurableStore.scan}, {@link DurableStore.insert} or an
   *   earlier swap returned
   * @param data the new text; `null` removes the item
   * @param wakeAt as in {@link DurableStore.insert}; ignored for a removal
   * @returns the item's new version; for a removal, any number of 1 or more. `undefined`: nothing was written, because
   *   another write was faster or the key does not exist
   */
  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined>;

  /**
   * Returns keys that start with the prefix and whose `wakeAt` is `now` or earlier: the oldest `wakeAt` first, equal
   * ones in the order of keys. An index finds them, so items that are not due cost nothing.
   * @param limit the largest number of keys: 1 or more
   */
  due(prefix: string, now: number, limit: number): Promise<string[]>;

  /**
   * Reads items whose keys start with the prefix, in the order of keys.
   * @param after the key to continue after (the last key of the previous page); it need not exist. `undefined`: from
   *   the first key
   * @param limit the largest number of items: 1 or more. Fewer items mean that there are no more
   */
  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]>;

  /**
   * Returns the same store inside a transaction that the caller began. A commit keeps its writes, a rollback undoes
   * them. A key that already exists leaves the transaction usable. Stores without such transactions omit this method.
   */
  within?(transaction: unknown): DurableStore;
}

/**
 * The transactions that `within` of a store takes. `never`: the store has no `within`. `unknown`: the store is only
 * known as a {@link DurableStore}.
 */
export type TransactionOf<Store extends DurableStore> = 'within' extends keyof Store
  ? Store extends {
      /** See {@link DurableStore.within}. */
      within?(transaction: infer Transaction): DurableStore;
    }
    ? Transaction
    : never
  : never;
