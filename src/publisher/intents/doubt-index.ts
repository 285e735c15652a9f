/**
 * An index of the intents in doubt by the fields that an event shows. An event of an unknown post finds its intent with
 * a few reads, among any number of open intents.
 */
import { instantOf } from '../../model/instant.js';
import { requestOf } from '../../posts/read-create.js';
import { itemsUnder, change, formatOf, recordsIn, unlessForeign, type Records } from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import { hashOf, type Content } from './content.js';
import { latestFormat, type IntentSpace } from './intent-space.js';
import type { IntentRecord } from './intent-record.js';

/** The fields of a request that an event shows. */
export interface ShownRequest {
  readonly content?: string | undefined;
  readonly scheduledFor?: string | null | undefined;
  /** The IDs of the accounts. */
  readonly accounts: readonly string[];
}

interface Entry {
  readonly key: string;
  readonly service?: string | undefined;
  readonly accounts: readonly string[];
}

const format = formatOf<Entry>('format', latestFormat);
/** An event reads at most this many entries, and this many intents. */
const mostEntries = 1_000;
const mostIntents = 2;

export class DoubtIndex {
  readonly #store: DurableStore;
  readonly #entries: Records<Entry>;
  readonly #space: IntentSpace;
  readonly #prefix: string;

  constructor(store: DurableStore, space: IntentSpace) {
    this.#store = store;
    this.#entries = recordsIn(store, format);
    this.#space = space;
    this.#prefix = `doubt/${space.prefix}`;
  }

  async add(record: IntentRecord): Promise<void> {
    const { key, service } = record;
    const entry: Entry = { key, service, accounts: shownRequestOf(record).accounts };
    await this.#entries.write(this.#storedAt(record), undefined, { record: entry, wakeAt: null });
  }

  async remove(record: IntentRecord): Promise<void> {
    await change(this.#entries, this.#storedAt(record), () => null);
  }

  /**
   * Returns the keys of intents in doubt that can have made this request, the most similar first: one or two reads.
   * Equal intents are interchangeable, so a few are sufficient.
   */
  async keysLike(shown: ShownRequest): Promise<string[]> {
    const text = this.#prefix + textOf(shown);
    const atTime = await this.#store.scan(`${text}${timeOf(shown)}/`, undefined, mostEntries);
    // A user can have moved the post to another time.
    const items = atTime.length > 0 ? atTime : await this.#store.scan(text, undefined, mostEntries);
    const entries: Entry[] = [];
    for (const { key, data } of items) {
      const entry = await unlessForeign(() => format.decode(key, data), undefined);
      if (entry !== undefined) entries.push(entry);
    }
    const accounts = shown.accounts.join();
    return entries
      .filter((entry) => !this.#space.isForeign(entry))
      .sort((a, b) => Number(b.accounts.join() === accounts) - Number(a.accounts.join() === accounts))
      .slice(0, atTime.length > 0 ? mostIntents : 1)
      .map(({ key }) => key);
  }

  /** Removes entries of intents that cannot be in doubt: their processes ended between two writes. */
  async clean(mayBeInDoubt: (key: string) => Promise<boolean>): Promise<void> {
    for await (const { key, version, data } of itemsUnder(this.#store, this.#prefix)) {
      const record = await unlessForeign(() => format.decode(key, data), undefined);
      if (record === undefined || (await mayBeInDoubt(record.key))) continue;
      await this.#entries.write(key, { record, version }, null);
    }
  }

  #storedAt(record: IntentRecord): string {
    const request = shownRequestOf(record);
    return `${this.#prefix}${textOf(request)}${timeOf(request)}/${record.key}`;
  }
}

function shownRequestOf(content: Content): ShownRequest {
  const { content: text, scheduledFor, platforms } = requestOf(content);
  const targets: readonly unknown[] = Array.isArray(platforms) ? platforms : [];
  const accounts = targets.map((target) => String((target as { accountId?: unknown } | null)?.accountId));
  return {
    ...(typeof text === 'string' && { content: text }),
    ...(typeof scheduledFor === 'string' && { scheduledFor }),
    accounts: accounts.sort(),
  };
}

function textOf({ content = '' }: ShownRequest): string {
  return `${String(hashOf(content))}/`;
}

function timeOf({ scheduledFor }: ShownRequest): string {
  return String(instantOf(scheduledFor ?? undefined) ?? 'now');
}
