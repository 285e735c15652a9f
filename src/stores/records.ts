/** Records in any store: JSON with the number of its format, changed by compare and set. */
import { ForeignDataError } from '../core/errors.js';
import { isFields, type Fields } from '../core/json.js';
import { writeItem, type RecordStore } from './lost-replies.js';
import type { DurableStore, ScannedItem } from './store.js';

/** A record with the version of its item: as it was read, or as it was just written. */
export interface Versioned<T> {
  readonly record: T;
  readonly version: number;
}

/** A record to write, and when `due` returns its key. */
export interface RecordWrite<T> {
  readonly record: T;
  readonly wakeAt: number | null;
}

/** The next state of a record. `null`: it is removed. `undefined`: it stays. */
export type NextRecord<T> = RecordWrite<T> | null | undefined;

/** Records of one kind under their keys. */
export type Records<T> = ReturnType<typeof recordsIn<T>>;

/** How records of one kind are stored as text. */
export interface Codec<T> {
  readonly encode: (record: T) => string | Promise<string>;
  /** @throws ForeignDataError a newer version of the package, or another program, wrote it */
  readonly decode: (key: string, data: string) => T;
}

/**
 * Returns the only form of records: a JSON object that begins with the number of its format.
 * @param field the name of the number, which release 0.2.0 chose
 * @param latest this version reads this format and older ones
 */
export function formatOf<T extends object>(field: 'format' | 'v', latest: number) {
  return {
    encode: (record: T, format = 1) => JSON.stringify({ [field]: format, ...record }),
    decode: (key: string, data: string) => {
      const { [field]: format, ...record } = parseObject(data);
      if (typeof format !== 'number')
        throw new ForeignDataError(
          `The store has an item '${key}' that this package did not write. It was left as it is. Use a separate store, ` +
            'table or prefix.',
        );
      if (format > latest)
        throw new ForeignDataError(
          `A newer version of social-publishing wrote '${key}' (format ${String(format)}; this version reads up to ` +
            `${String(latest)}). It was left as it is. Upgrade this process to the same version.`,
        );
      return record as T; // `encode` wrote it.
    },
  };
}

function parseObject(data: string): Fields {
  try {
    const value: unknown = JSON.parse(data);
    if (isFields(value)) return value;
  } catch {
    // The message of the parser would quote the data.
  }
  return {};
}

/** Returns the records of a store. */
export function recordsIn<T>(store: RecordStore, { encode, decode }: Codec<T>) {
  return {
    read: async (key: string): Promise<Versioned<T> | undefined> => {
      const item = await store.get(key);
      return item && { record: decode(key, item.data), version: item.version };
    },
    /**
     * Writes a record once.
     * @param old the record that it replaces; `undefined`: it is new
     * @param next `null` removes the record
     * @returns the written record, or the removed one; `undefined`: another write was faster
     */
    write: async (key: string, old: Versioned<T> | undefined, next: RecordWrite<T> | null) => {
      if (next === null && old === undefined) return undefined;
      const data = next && (await encode(next.record));
      const version = await writeItem(store, { key, replaces: old?.version, data, wakeAt: next?.wakeAt ?? null });
      if (version === undefined) return undefined;
      return next === null ? old : { record: next.record, version };
    },
  };
}

/** Returns the result of a read, or the fallback if a newer version, or another program, wrote the item. */
export async function unlessForeign<Read>(read: () => Read | Promise<Read>, fallback: Read): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForeignDataError) return fallback;
    throw error;
  }
}

/** Collects the items that this version cannot read, so that none of them hides the others. */
export class ForeignItems {
  readonly #messages = new Set<string>();

  /** Returns the result of a read. `undefined`: this version cannot read the item. */
  async skip<Read>(read: () => Read | Promise<Read>): Promise<Read | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ForeignDataError)) throw error;
      this.#messages.add(error.message);
      return undefined;
    }
  }

  get count(): number {
    return this.#messages.size;
  }

  /**
   * Call it last.
   * @param rest a sentence about the other items
   * @throws ForeignDataError there was such an item
   */
  check(rest?: string): void {
    const [first] = this.#messages;
    if (first === undefined) return;
    const count = this.#messages.size > 1 ? [`It is 1 of ${String(this.#messages.size)} such items.`] : [];
    throw new ForeignDataError([first, ...count, ...(rest === undefined ? [] : [rest])].join(' '));
  }
}

/** What a change found and did. */
export interface Change<T> {
  /** The record before. `undefined`: there was none. */
  readonly old: T | undefined;
  /** The written record, or the removed one. `undefined`: nothing was written. */
  readonly written: Versioned<T> | undefined;
}

export interface ChangeOptions<T> {
  /**
   * The record as it was read or written a moment ago, or `new` if there is probably none: the first try reads nothing.
   * If you omit it, the record is read.
   */
  readonly known?: Versioned<T> | 'new' | undefined;
  /** After this number of tries, other processes are working on the record, and it stays as it is. Default: no limit. */
  readonly mostTries?: number | undefined;
}

/**
 * Changes a record, and repeats this if another write was faster.
 * @param next returns the next record from the old one. `undefined`: there is none
 */
export async function change<T>(
  records: Records<T>,
  key: string,
  next: (old: T | undefined) => NextRecord<T> | Promise<NextRecord<T>>,
  { known, mostTries = Infinity }: ChangeOptions<T> = {},
): Promise<Change<T>> {
  let read = known;
  for (let tries = 1; ; tries += 1) {
    const found = read === 'new' ? undefined : (read ?? (await records.read(key)));
    const old = found?.record;
    const wanted = await next(old);
    if (wanted === undefined || (wanted === null && found === undefined)) return { old, written: undefined };
    const written = await records.write(key, found, wanted);
    if (written !== undefined || tries >= mostTries) return { old, written };
    read = undefined;
  }
}

const pageSize = 100;

/** Returns the keys of all items with a wake time at or before `until`. */
export async function keysDue(store: DurableStore, prefix: string, until: number): Promise<readonly string[]> {
  for (let limit = 1_000; ; limit *= 4) {
    const keys = await store.due(prefix, until, limit);
    if (keys.length < limit) return keys;
  }
}

/** Returns the keys of all items with a wake time. */
export function keysWaking(store: DurableStore, prefix: string): Promise<readonly string[]> {
  return keysDue(store, prefix, Number.MAX_SAFE_INTEGER);
}

/** Yields all items whose keys start with a prefix, in the order of keys. */
export async function* itemsUnder(store: DurableStore, prefix: string): AsyncGenerator<ScannedItem, void, undefined> {
  for (let after: string | undefined; ;) {
    const page = await store.scan(prefix, after, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.key;
  }
}
