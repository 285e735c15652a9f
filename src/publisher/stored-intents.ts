/** Reads and writes intents in a store: compare and set, whatever other processes do at the same time. */
import { IntentConflictError } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore, StoredItem } from '../stores/store.js';
import { DoubtIndex } from './doubt-index.js';
import { step, type Happening, type IntentPolicy, type Step } from './intent.js';
import { formsOf, IntentSpace } from './intent-space.js';
import type { IntentRecord } from './intent-record.js';
import { decode, encode } from './stored-data.js';

const maxKeyLength = 512;
/** With the flag u, a surrogate matches only if its other half is missing. */
const notStorable = /[\0\p{Surrogate}]/u;

/** An intent with the version of its item: as it was read, or as it was just written. */
export interface Versioned {
  readonly record: IntentRecord;
  readonly version: number;
}

/** Where the intents are, and what is called about them. */
export interface IntentsOptions {
  readonly space?: IntentSpace | undefined;
  /** It is called after each write that moves an intent to `in_doubt`. */
  readonly onInDoubt?: ((record: IntentRecord) => void) | undefined;
}

export class StoredIntents {
  readonly space: IntentSpace;
  readonly doubts: DoubtIndex;
  readonly #store: DurableStore;
  readonly #policy: IntentPolicy;
  readonly #onInDoubt: ((record: IntentRecord) => void) | undefined;

  constructor(store: DurableStore, policy: IntentPolicy, { space, onInDoubt }: IntentsOptions = {}) {
    this.#store = store;
    this.#policy = policy;
    this.#onInDoubt = onInDoubt;
    this.space = space ?? new IntentSpace(store);
    this.doubts = new DoubtIndex(store, this.space);
  }

  /** Reads the intent under a stored key. */
  async read(key: string): Promise<Versioned | undefined> {
    const storedAt = this.space.storedAt(key);
    return versioned(this.space, storedAt, await this.#store.get(storedAt));
  }

  /** Reads the intent under a caller's key, in each form in which it can be stored. It can belong to another service. */
  async find(key: string): Promise<Versioned | undefined> {
    for (const form of formsOf(key)) {
      const read = await this.read(form);
      if (read !== undefined) return read;
    }
    return undefined;
  }

  /** Reads an intent that release 0.2.0 can have stored under another form of a new key. ASCII has one form. */
  async findOtherForm(key: string): Promise<Versioned | undefined> {
    return formsOf(key).length === 1 ? undefined : this.find(key);
  }

  /** @throws IntentConflictError the intent belongs to another service */
  checkService({ key, service }: IntentRecord): void {
    if (!this.space.isForeign({ service })) return;
    throw new IntentConflictError(key, { recorded: service ?? '', used: this.space.service ?? '' });
  }

  /** `undefined`: the intent exists. */
  async insert(record: IntentRecord): Promise<Versioned | undefined> {
    const data = await this.#encode(record);
    const version = await insertItem(this.#store, this.space.storedAt(record.key), data, record.wakeAt);
    return version === undefined ? undefined : { record, version };
  }

  /** Writes the record of a step. `undefined`: another write was faster. */
  async replace(read: Versioned, record: IntentRecord): Promise<Versioned | undefined> {
    const { isIndexed, ...kept } = record;
    const isInDoubt = record.state === 'in_doubt';
    const next: IntentRecord = isInDoubt ? { ...kept, isIndexed: true } : kept;
    // Before the intent: if this process ends in between, an entry without its intent does no harm.
    if (isInDoubt && isIndexed !== true) await this.doubts.add(record);
    const version = await swapItem(this.#store, this.#itemOf(read), await this.#encode(next), record.wakeAt);
    if (version === undefined) return undefined;
    // The entry does no harm, and the intent is written: a failure here must not look like a failed write.
    if (!isInDoubt && isIndexed === true) await this.doubts.remove(record).catch(() => undefined);
    if (isInDoubt && read.record.state !== 'in_doubt') this.#onInDoubt?.(next);
    return { record: next, version };
  }

  async remove(read: Versioned): Promise<boolean> {
    return (await swapItem(this.#store, this.#itemOf(read), null, null)) !== undefined;
  }

  step(record: IntentRecord, happening: Happening): Step {
    return step(record, happening, this.#policy);
  }

  /**
   * Applies an event to an intent, and repeats this if another write is faster. `undefined`: the intent was pruned. A
   * new intent under the same key is a different intent, and is not changed.
   * @param known the intent as it was read or written a moment ago
   */
  async apply(
    { key, createdAt }: Pick<IntentRecord, 'key' | 'createdAt'>,
    happening: Happening,
    known?: Versioned,
  ): Promise<Step | undefined> {
    for (let read = known; ; read = undefined) {
      read ??= await this.read(key);
      if (read?.record.createdAt !== createdAt) return undefined;
      const next = this.step(read.record, happening);
      if (next.record === read.record || (await this.replace(read, next.record)) !== undefined) return next;
    }
  }

  /** The item that a swap replaces. */
  #itemOf({ record, version }: Versioned): { key: string; version: number } {
    return { key: this.space.storedAt(record.key), version };
  }

  /** The item's key contains the intent's key. */
  async #encode(record: IntentRecord): Promise<string> {
    return encode({ ...record, key: undefined }, await this.space.formatOf(record, this.#store));
  }
}

/** @throws ConfigurationError a newer version wrote the item, or it is not an intent */
export function versioned(space: IntentSpace, storedAt: string, item: StoredItem | undefined): Versioned | undefined {
  return item && { record: decodeIntent(storedAt, item.data, space.keyOf(storedAt)), version: item.version };
}

/**
 * Checks the key of an intent.
 * @throws InvalidRequestError for a key that not every store could contain
 */
export function checkKey(key: unknown, name = 'key'): void {
  const wrong =
    typeof key !== 'string'
      ? 'must be a string'
      : key === '' || key.length > maxKeyLength
        ? `must have 1 to ${String(maxKeyLength)} characters`
        : notStorable.test(key)
          ? 'must not contain the character NUL (U+0000) or half a surrogate pair'
          : undefined;
  if (wrong !== undefined) throw invalidArgument(name, wrong);
}

/** @throws ConfigurationError a newer version wrote it, or it is not an item of the publisher */
export function decodeIntent(storedAt: string, data: string, key: string): IntentRecord {
  // Release 0.2.0 noted that its last unique time was not used yet. A send without this release's rules can use it.
  const { format: _format, unusedSlot: _unusedSlot, ...stored } = decode(storedAt, data);
  // `StoredIntents` wrote it.
  const record = { ...stored, key } as IntentRecord;
  const { lookup, ...withoutLookup } = record;
  // Release 0.2.0 wrote it later and kept the search: it can be of an earlier send.
  return lookup?.at === record.updatedAt ? record : withoutLookup;
}
