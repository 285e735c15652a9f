/** Reads and writes intents in a store: compare and set, whatever other processes do at the same time. */
import {
  ConfigurationError,
  ForeignDataError,
  IntentConflictError,
  isErrorNamed,
  SocialPublishingError,
  recordOutcome,
} from '../../core/errors.js';
import { notStorable } from '../../core/json.js';
import { invalidArgument } from '../../core/call/options.js';
import { change, formatOf, recordsIn, type Records, type RecordWrite, type Versioned } from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import { DoubtIndex } from './doubt-index.js';
import type { Step } from './before-send.js';
import { step, type Happening, type IntentPolicy } from './intent.js';
import { formsOf, latestFormat, type IntentSpace } from './intent-space.js';
import type { IntentRecord, IntentState } from './intent-record.js';

const maxKeyLength = 512;

/** It is called after each write that adds an intent, or changes its state. */
export type OnMove = (record: IntentRecord, previous: IntentState | undefined) => void;

/**
 * The item's key contains the intent's key. `unusedSlot`: release 0.2.0 noted that its last unique time was not used yet. A
 * send without this release's rules can use it.
 */
const format = formatOf<Omit<IntentRecord, 'key'> & { readonly unusedSlot?: unknown }>('format', latestFormat);

export class StoredIntents implements Records<IntentRecord> {
  readonly space: IntentSpace;
  readonly doubts: DoubtIndex;
  readonly #records: Records<IntentRecord>;
  readonly #policy: IntentPolicy;
  readonly #onMove: OnMove | undefined;

  constructor(store: DurableStore, space: IntentSpace, policy: IntentPolicy, onMove?: OnMove) {
    this.#policy = policy;
    this.#onMove = onMove;
    this.space = space;
    this.doubts = new DoubtIndex(store, space);
    this.#records = recordsIn(store, {
      encode: async ({ key: _key, ...record }) => format.encode(record, await space.formatOf(record, store)),
      decode: (storedAt, data) => decodeIntent(storedAt, data, space.keyOf(storedAt)),
    });
  }

  /** Reads the intent under a stored key. */
  async read(key: string): Promise<Versioned<IntentRecord> | undefined> {
    return this.#records.read(this.space.storedAt(key));
  }

  /** Reads the intent under a caller's key, in each form in which it can be stored. It can belong to another service. */
  async find(key: string): Promise<Versioned<IntentRecord> | undefined> {
    for (const form of formsOf(key)) {
      const read = await this.read(form);
      if (read !== undefined) return read;
    }
    return undefined;
  }

  /** Reads an intent that release 0.2.0 can have stored under another form of a new key. ASCII has one form. */
  async findOtherForm(key: string): Promise<Versioned<IntentRecord> | undefined> {
    return formsOf(key).length === 1 ? undefined : this.find(key);
  }

  /** @throws IntentConflictError the intent belongs to another service */
  checkService({ key, service }: IntentRecord): void {
    if (!this.space.isForeign({ service })) return;
    throw new IntentConflictError(key, { services: { recorded: service ?? '', used: this.space.service ?? '' } });
  }

  /**
   * Writes an intent. `undefined`: another write was faster.
   * @param old the intent that it replaces. If you omit it, the intent is new
   */
  async put(record: IntentRecord, old?: Versioned<IntentRecord>): Promise<Versioned<IntentRecord> | undefined> {
    return this.write(record.key, old, toWrite(record));
  }

  async remove(read: Versioned<IntentRecord>): Promise<boolean> {
    return (await this.write(read.record.key, read, null)) !== undefined;
  }

  /** Writes an intent, and keeps the index of intents in doubt. */
  async write(
    key: string,
    old: Versioned<IntentRecord> | undefined,
    next: RecordWrite<IntentRecord> | null,
  ): Promise<Versioned<IntentRecord> | undefined> {
    const storedAt = this.space.storedAt(key);
    if (next === null) return this.#records.write(storedAt, old, next);
    const { isIndexed, ...kept } = next.record;
    const isInDoubt = kept.state === 'in_doubt';
    // Before the intent: if this process ends in between, an entry without its intent does no harm.
    if (isInDoubt && isIndexed !== true) await this.doubts.add(kept);
    const record: IntentRecord = isInDoubt ? { ...kept, isIndexed: true } : kept;
    const written = await this.#records.write(storedAt, old, toWrite(record));
    if (written === undefined) return undefined;
    // The entry does no harm, and the intent is written: a failure here must not look like a failed write.
    if (!isInDoubt && isIndexed === true) await this.doubts.remove(kept).catch(() => undefined);
    const previous = old?.record.state;
    if (record.state !== previous) this.#onMove?.(record, previous);
    return written;
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
    known?: Versioned<IntentRecord>,
  ): Promise<Step | undefined> {
    let next: Step | undefined;
    const nextRecord = (read: IntentRecord | undefined) => {
      next = undefined;
      if (read?.createdAt !== createdAt) return undefined;
      next = this.step(read, happening);
      return next.record === read ? undefined : toWrite(next.record);
    };
    await change(this, key, nextRecord, { known });
    return next;
  }
}

function toWrite(record: IntentRecord): RecordWrite<IntentRecord> {
  return { record, wakeAt: record.wakeAt };
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
  const { unusedSlot: _unusedSlot, ...stored } = format.decode(storedAt, data);
  const record = { ...stored, key };
  const { lookup, ...withoutLookup } = record;
  // Release 0.2.0 wrote it later and kept the search: it can be of an earlier send.
  return lookup?.at === record.updatedAt ? record : withoutLookup;
}

// Errors of a store in calls whose intent may have been sent. None of them proves that the service did nothing.

const repeatCall = 'The post may have been sent. Repeat the same call when the store works: it sends nothing twice.';

/** After a decision that may be recorded, a sweep can have sent the intent: the same decision would be about that send. */
export const decideAgain =
  'The decision may be recorded, and the post may have been sent. Read the intent again before you decide again.';

/**
 * Runs work that uses the store. Its errors get the outcome `unknown`: this call, or an earlier one, may have sent the
 * intent. A conflict keeps its outcome, because its body was not sent.
 */
export async function provingNothing<T>(work: () => Promise<T>, next = repeatCall): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withUnknownOutcome(error, next);
  }
}

function withUnknownOutcome(error: unknown, next: string): unknown {
  if (error instanceof IntentConflictError) return error;
  // Also an error of another copy of the package has an outcome.
  if (error instanceof Error && 'outcome' in error && error.outcome !== 'unknown') {
    const details = { outcome: 'unknown', cause: error } as const;
    const wrong = refusedItem(error);
    if (wrong !== undefined)
      return new SocialPublishingError(`The store refused an item: it ${wrong}. ${next}`, details);
    if (error instanceof ForeignDataError)
      return new ForeignDataError(
        `${error.message} The post may have been sent. Until then, every call with its key rejects.`,
        details,
      );
    const message = `${error.message} ${next}`;
    return error.name === 'ConfigurationError'
      ? new ConfigurationError(message, details)
      : new SocialPublishingError(message, details);
  }
  // An error of a driver stays the same object, so that callers recognise it.
  recordOutcome(error, 'unknown');
  return error;
}

/** Returns the rule that an item breaks, without the name of its field. `undefined`: the store did not refuse an item. */
export function refusedItem(error: unknown): string | undefined {
  if (!isErrorNamed(error, 'InvalidRequestError')) return undefined;
  const [issue] = error.issues;
  const name = `${issue?.path.join('.') ?? ''} `;
  const message = issue?.message ?? error.message;
  return message.startsWith(name) ? message.slice(name.length) : message;
}
