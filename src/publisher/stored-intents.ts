/** Reads and writes intents in a store: compare and set, whatever other processes do at the same time. */
import { ForeignDataError } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore, StoredItem } from '../stores/store.js';
import { step, type Happening, type IntentPolicy, type Step } from './intent.js';
import type { IntentRecord } from './intent-record.js';

/** The format that this version writes. It reads this one and older ones. */
const format = 1;
export const intentPrefix = 'intent/';
const maxKeyLength = 512;
/** With the flag u, a surrogate matches only if its other half is missing. */
const notStorable = /[\0\p{Surrogate}]/u;

/** An intent with the version of its item: as it was read, or as it was just written. */
export interface Versioned {
  readonly record: IntentRecord;
  readonly version: number;
}

export class StoredIntents {
  readonly #store: DurableStore;
  readonly #policy: IntentPolicy;
  readonly #onInDoubt: (record: IntentRecord) => void;

  /** @param onInDoubt is called after each write that moves an intent to `in_doubt` */
  constructor(store: DurableStore, policy: IntentPolicy, onInDoubt: (record: IntentRecord) => void = () => undefined) {
    this.#store = store;
    this.#policy = policy;
    this.#onInDoubt = onInDoubt;
  }

  async read(key: string): Promise<Versioned | undefined> {
    const storedAt = intentPrefix + key;
    return versioned(storedAt, await this.#store.get(storedAt));
  }

  /** `undefined`: the intent exists. */
  async insert(record: IntentRecord, store = this.#store): Promise<Versioned | undefined> {
    const version = await insertItem(store, intentPrefix + record.key, encodeIntent(record), record.wakeAt);
    return version === undefined ? undefined : { record, version };
  }

  /** Writes the record of a step. `undefined`: another write was faster. */
  async replace(read: Versioned, record: IntentRecord): Promise<Versioned | undefined> {
    const version = await swapItem(this.#store, itemOf(read), encodeIntent(record), record.wakeAt);
    if (version === undefined) return undefined;
    if (record.state === 'in_doubt' && read.record.state !== 'in_doubt') this.#onInDoubt(record);
    return { record, version };
  }

  async remove(read: Versioned): Promise<boolean> {
    return (await swapItem(this.#store, itemOf(read), null, null)) !== undefined;
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
}

/** The item that a swap replaces. */
function itemOf({ record, version }: Versioned): { key: string; version: number } {
  return { key: intentPrefix + record.key, version };
}

/** @throws ConfigurationError a newer version wrote the item, or it is not an intent */
export function versioned(storedAt: string, item: StoredItem | undefined): Versioned | undefined {
  return item && { record: decodeIntent(storedAt, item.data), version: item.version };
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

/** Makes the text of an item, with the number of its format. */
export function encode(value: object): string {
  return JSON.stringify({ format, ...value });
}

/**
 * Reads the text of an item.
 * @throws ConfigurationError a newer version wrote it, or it is not an item of the publisher
 */
export function decode(storedAt: string, data: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    value = undefined;
  }
  const found = typeof value === 'object' && value !== null ? (value as { format?: unknown }).format : undefined;
  if (typeof found !== 'number') {
    throw new ForeignDataError(
      `The store has an item '${storedAt}' that no publisher wrote. It was left as it is. ` +
        'Use a separate store, table or prefix for the publisher.',
    );
  }
  if (found > format) {
    throw new ForeignDataError(
      `A newer version of social-publishing wrote '${storedAt}' (format ${String(found)}; this version reads up to ` +
        `${String(format)}). It was left as it is. Upgrade this process to the same version.`,
    );
  }
  // `encode` wrote it: an object with a format.
  return value as Record<string, unknown>;
}

/** The item's key contains the intent's key. */
function encodeIntent(record: IntentRecord): string {
  return encode({ ...record, key: undefined });
}

/** @throws ConfigurationError a newer version wrote it, or it is not an item of the publisher */
export function decodeIntent(storedAt: string, data: string): IntentRecord {
  // Release 0.2.0 noted that its last unique time was not used yet. A send without this release's rules can use it.
  const { format: _format, unusedSlot: _unusedSlot, ...stored } = decode(storedAt, data);
  // `encodeIntent` wrote it.
  const record = { ...stored, key: storedAt.slice(intentPrefix.length) } as IntentRecord;
  const { lookup, ...withoutLookup } = record;
  // Release 0.2.0 wrote it later and kept the search: it can be of an earlier send.
  return lookup?.at === record.updatedAt ? record : withoutLookup;
}
