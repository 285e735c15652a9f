/** Stores around another store: with other methods, with a record of the calls, or with writes that fail. */
import { openTransaction } from '../../src/stores/postgres/failure.js';
import type { DurableStore } from '../../src/stores/store.js';

/** The store with other methods, which can call its own. */
export function storeWith(store: DurableStore, methods: Partial<DurableStore>): DurableStore {
  return {
    get: (key) => store.get(key),
    insert: (...item) => store.insert(...item),
    swap: (...item) => store.swap(...item),
    due: (...query) => store.due(...query),
    scan: (...query) => store.scan(...query),
    ...methods,
  };
}

/** The store with a function around each of its calls, which gets the method and its key or prefix: `get intent/k`. */
export function storeAround(
  store: DurableStore,
  around: <T>(call: string, run: () => Promise<T>) => Promise<T>,
): DurableStore {
  return {
    get: (key) => around(`get ${key}`, () => store.get(key)),
    insert: (key, ...item) => around(`insert ${key}`, () => store.insert(key, ...item)),
    swap: (key, ...item) => around(`swap ${key}`, () => store.swap(key, ...item)),
    due: (prefix, ...query) => around(`due ${prefix}`, () => store.due(prefix, ...query)),
    scan: (prefix, ...query) => around(`scan ${prefix}`, () => store.scan(prefix, ...query)),
  };
}

/** The store with a function that is called before each of its calls. */
export function storeCalling(store: DurableStore, before: (call: string) => void): DurableStore {
  return storeAround(store, async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    before(call);
    return run();
  });
}

/** A store that calls a function after each insert, before the caller gets the version. */
export function afterInsert(store: DurableStore, run: (key: string) => Promise<unknown>): DurableStore {
  return storeWith(store, {
    insert: async (key, ...item) => {
      const version = await store.insert(key, ...item);
      await run(key);
      return version;
    },
  });
}

/** A store whose next writes are refused, as a store does while a transaction of the caller is open on its connection. */
export function refusingStore(store: DurableStore): { store: DurableStore; refuse: (writes: number) => void } {
  let left = 0;
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left >= 0) throw openTransaction();
    return run();
  };
  const refusing = storeWith(store, {
    insert: (...item) => write(() => store.insert(...item)),
    swap: (...item) => write(() => store.swap(...item)),
  });
  return { refuse: (writes) => (left = writes), store: refusing };
}
