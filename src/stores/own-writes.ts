import type { DurableStore } from './store.js';

type Writes = Pick<DurableStore, 'insert' | 'swap'>;

/** The two writes of a class as it was written, whatever becomes of its prototype. */
export function ownWrites({ prototype: { insert, swap } }: { readonly prototype: Writes }): Writes {
  return { insert, swap };
}

/**
 * What writes two items at once, as long as `insert` and `swap` are those of the class: where a subclass, a proxy or a
 * spy has put its own in their place (one that encrypts what is stored, say), nothing may go past them.
 */
export function bothIfOwn(
  store: Writes,
  own: Writes,
  both: () => DurableStore['swapAndInsert'],
): DurableStore['swapAndInsert'] {
  return store.insert === own.insert && store.swap === own.swap ? both() : undefined;
}
