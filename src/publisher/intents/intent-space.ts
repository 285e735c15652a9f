/** Whose intents a publisher works on, and where they are in a store. See docs/decisions/0071-whose-intent-it-is.md. */
import { change, formatOf, recordsIn } from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import type { IntentRecord } from './intent-record.js';

/** Release 0.2.0 reads this format, and refuses the other one. */
export const oldFormat = 1;
export const latestFormat = 2;
const homeKey = 'publisher/home';
const homeFormat = formatOf<{ readonly service: string }>('format', latestFormat);

/** Where the items of a scope are. Release 0.2.0 never reads below `scoped/`. */
export function prefixOf(
  scope: string | undefined,
  [unscoped, scoped]: readonly [string, string] = ['intent/', 'scoped/'],
): string {
  return scope === undefined ? unscoped : `${scoped}${scope.replaceAll(/[%/]/g, encodeURIComponent)}/`;
}

/** Returns the form of a key that is stored: two forms of the same text are one key. */
export function normalKey(key: string): string {
  return key.normalize('NFC');
}

/** Returns the forms in which a key, or a prefix of keys, can be stored. Release 0.2.0 stored keys as passed. */
export function formsOf(key: string): readonly string[] {
  return [...new Set([normalKey(key), key, key.normalize('NFD')])];
}

export class IntentSpace {
  /** The normalised URL. `undefined`: every service. */
  readonly service: string | undefined;
  readonly scope: string | undefined;
  /** The keys of all intents of the scope begin with it. */
  readonly prefix: string;
  readonly #store: DurableStore;
  #home: string | undefined;

  constructor(store: DurableStore, service: string | undefined, scope: string | undefined) {
    this.#store = store;
    this.service = service;
    this.scope = scope;
    this.prefix = prefixOf(scope);
  }

  storedAt(key: string): string {
    return this.prefix + key;
  }

  keyOf(storedAt: string): string {
    return storedAt.slice(this.prefix.length);
  }

  /** Whether it belongs to another service. Intents of release 0.2.0, and of clients without a URL, belong to each one. */
  isForeign({ service }: { readonly service?: string | undefined }): boolean {
    return service !== undefined && this.service !== undefined && service !== this.service;
  }

  /**
   * Returns the format of an intent. Release 0.2.0 knows no services: it would send an intent of any service. So it must
   * refuse intents of all services except one, the home service of the store.
   *
   * A publish that succeeds reads nothing. So its first mark in a process is written as if its service were the home.
   */
  async formatOf({ service, state }: Pick<IntentRecord, 'service' | 'state'>, store: DurableStore): Promise<number> {
    if (this.scope !== undefined) return latestFormat;
    if (service === undefined) return oldFormat;
    const isRare = state === 'ready' || state === 'in_doubt' || state === 'rejected' || state === 'abandoned';
    const home = this.#home ?? (isRare ? await this.#findHome(service, store) : service);
    return home === service ? oldFormat : latestFormat;
  }

  /** The first service that uses the store is its home. */
  async #findHome(service: string, store: DurableStore): Promise<string> {
    const homes = recordsIn(store, homeFormat);
    if (store === this.#store) {
      const mine = { record: { service }, wakeAt: null };
      const { old } = await change(homes, homeKey, (home) => (home === undefined ? mine : undefined));
      return (this.#home = old?.service ?? service);
    }
    // In a caller's transaction, the item would block every other transaction that enqueues, until the commit.
    const home = (await homes.read(homeKey))?.record.service;
    if (home !== undefined) this.#home = home;
    return home ?? service;
  }
}
