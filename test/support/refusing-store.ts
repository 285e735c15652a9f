import { openTransaction } from '../../src/stores/postgres/failure.js';
import type { DurableStore } from '../../src/stores/store.js';

/** A store whose next writes are refused, as a store does while a transaction of the caller is open on its connection. */
export function refusingStore(store: DurableStore): { store: DurableStore; refuse: (writes: number) => void } {
  let left = 0;
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left >= 0) throw openTransaction();
    return run();
  };
  return {
    refuse: (writes) => (left = writes),
    store: {
      get: (key) => store.get(key),
      due: (...query) => store.due(...query),
      scan: (...query) => store.scan(...query),
      insert: (...item) => write(() => store.insert(...item)),
      swap: (...item) => write(() => store.swap(...item)),
    },
  };
}
