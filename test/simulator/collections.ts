/** Counts what processes keep in memory: the entries of their maps and sets that garbage collection leaves. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Host } from './host.js';

/** Replaces `Map` and `Set` of a bundle, and lets it measure. */
export function countCollections(host: Host): Record<'Map' | 'Set', unknown> {
  const all: WeakRef<{ readonly size: number }>[] = [];
  const keep = (collection: { readonly size: number }) => {
    const { name = 'world' } = host.actor as { readonly name?: string };
    if (name !== 'world') all.push(new WeakRef(collection));
  };
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  host.countEntries = () => {
    collectGarbage();
    return all.reduce((sum, collection) => sum + (collection.deref()?.size ?? 0), 0);
  };
  class CountedMap<Key, Value> extends Map<Key, Value> {
    constructor(entries?: Iterable<readonly [Key, Value]> | null) {
      super(entries);
      keep(this);
    }
  }
  class CountedSet<Value> extends Set<Value> {
    constructor(values?: Iterable<Value> | null) {
      super(values);
      keep(this);
    }
  }
  return { Map: CountedMap, Set: CountedSet };
}
