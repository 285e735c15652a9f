/** Reads the intents of a publisher's scope and service. Open intents have a wake time, so an index finds them. */
import { ForeignDataError } from '../core/errors.js';
import { compareKeys } from '../stores/key-order.js';
import { itemsUnder, keysWaking, type Versioned } from '../stores/records.js';
import type { IntentRecord, IntentState } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { formsOf } from './intents/intent-space.js';
import { decodeIntent } from './intents/stored-intents.js';

const concurrency = 8;
const openStates: ReadonlySet<IntentState | undefined> = new Set(['ready', 'sending', 'in_doubt', 'accepted'] as const);

/** The states of open intents. An accepted draft is done. */
export type OpenState = Extract<IntentState, 'ready' | 'sending' | 'in_doubt' | 'accepted'>;

export function isOpenState(state: IntentState | undefined): state is OpenState {
  return openStates.has(state);
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

/** Reads every intent whose key has the prefix, in the order of keys. */
export async function* readAll(
  worker: IntentWorker,
  prefix: string,
  foreign: ForeignItems,
): AsyncGenerator<Versioned<IntentRecord>, void, undefined> {
  const { settings, space } = worker;
  const seen = new Set<string>();
  const forms = formsOf(prefix);
  for (const form of forms) {
    for await (const item of itemsUnder(settings.store, space.storedAt(form))) {
      const record = await foreign.skip(() => decodeIntent(item.key, item.data, space.keyOf(item.key)));
      if (record === undefined || space.isForeign(record) || seen.has(item.key)) continue;
      if (forms.length > 1) seen.add(item.key);
      yield { record, version: item.version };
    }
  }
}

/** The same for open intents: it reads no finished one. */
export async function* readOpen(
  worker: IntentWorker,
  prefix: string,
  foreign: ForeignItems,
): AsyncGenerator<Versioned<IntentRecord>, void, undefined> {
  for await (const read of readOpenOfAll(worker, prefix, foreign)) if (!worker.space.isForeign(read.record)) yield read;
}

/** The same for the intents of all services. */
export async function* readOpenOfAll(
  { settings, space, intents }: IntentWorker,
  prefix: string,
  foreign: ForeignItems,
): AsyncGenerator<Versioned<IntentRecord>, void, undefined> {
  const keys = new Set<string>();
  for (const form of formsOf(prefix)) {
    for (const storedAt of await keysWaking(settings.store, space.storedAt(form))) keys.add(storedAt);
  }
  const sorted = [...keys].sort(compareKeys);
  for (let from = 0; from < sorted.length; from += concurrency) {
    const some = sorted.slice(from, from + concurrency);
    const reads = some.map((storedAt) => foreign.skip(() => intents.read(space.keyOf(storedAt))));
    for (const read of await Promise.all(reads)) if (read !== undefined) yield read;
  }
}
