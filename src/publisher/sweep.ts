/** Resumes due intents and handles events: several intents at once, with few requests. */
import { callSafely } from '../core/call/hooks.js';
import { isAbortReason } from '../core/flow/abort.js';
import type { OutageGate } from '../core/flow/outage.js';
import { forEachInPool, inPool } from '../core/flow/pool.js';
import { Interval } from '../core/flow/retrying.js';
import { defaultRuntime } from '../core/runtime.js';
import type { KnownWebhookEvent, WebhookEvent } from '../model/events.js';
import { ForeignItems, keysWaking, unlessForeign, type Versioned } from '../stores/records.js';
import type { PlannedIntent } from './intents/intent.js';
import { intentOf, isFromFuture, type IntentRecord } from './intents/intent-record.js';
import type { IntentWorker, When } from './intent-worker.js';
import { readOpen } from './intent-lists.js';
import type { SweepOptions } from './publisher.js';
import { reportOfEvent } from './send.js';

const sweepConcurrency = 8;
/** If other processes sweep too, a sweep chooses from this many times as many due intents. */
const spread = 16;
/** A search resolves at most this many other intents for each requested one. */
const joiningPerWanted = 10;
const mostJoining = 1_000;
const scanEveryMs = 3_600_000;
const mostScanned = 1_000;

/** Yields what a sweep does with each open intent. Changes nothing. It asks for the service's time if an intent seems late. */
export async function* planSweep(worker: IntentWorker): AsyncGenerator<PlannedIntent, void, undefined> {
  const foreign = new ForeignItems();
  for await (const { record } of readOpen(worker, '', foreign)) {
    const now = worker.now();
    const isDue = isAwake(record, now) && worker.needs(record, { force: true }) !== 'nothing';
    const inMs = isDue ? 0 : Math.max(0, (record.wakeAt ?? 0) - now);
    const action = await worker.surelyNeeds(record, { force: true, inMs });
    yield { intent: intentOf(record), action, isDue };
  }
  foreign.check();
}

function isAwake(record: IntentRecord, now: number): boolean {
  return (record.wakeAt ?? Infinity) <= now || isFromFuture(record, now);
}

interface Sweep {
  readonly when: When;
  readonly moved: IntentRecord[];
  /** Keys of intents that wait until the service is no longer down. */
  readonly held: string[];
  readonly failures: unknown[];
}

export class Sweeper {
  readonly #worker: IntentWorker;
  /** Other processes sweep too. */
  #isContended = false;
  readonly #scan = new Interval(scanEveryMs);
  /** Keys of open intents that the hourly scan has not read yet. */
  #toScan: readonly string[] = [];
  /** A sweep waits for a service that is down. */
  #isWaiting = false;

  constructor(worker: IntentWorker) {
    this.#worker = worker;
  }

  /**
   * Resumes due intents. Searches share their reads of the list, which can resolve other intents too. While the service is
   * down, it searches first, and then waits to send.
   */
  async sweep({ limit = 100, send, signal, onProgress }: SweepOptions): Promise<IntentRecord[]> {
    const gate = this.#worker.outageGate({
      limit: sweepConcurrency,
      signal,
      onWait: () => void callSafely(() => onProgress?.(gate.progress)),
    });
    const when: When = { force: true, send, gate: gate.unlessDown };
    const run: Sweep = { when, moved: [], held: [], failures: [] };
    const { moved, held, failures } = run;
    const toSearch: Versioned<IntentRecord>[] = [];
    const resume = async (read: Versioned<IntentRecord>) => {
      if (this.#worker.needs(read.record, when) === 'search') toSearch.push(read);
      else await this.#advance(read, run);
    };
    try {
      for await (const _ of inPool(this.#due(limit, when), resume, { concurrency: sweepConcurrency }));
      for (const read of await this.#fromFuture()) await resume(read);
      if (toSearch.length > 0) await this.#search(toSearch, run);
      if (held.length > 0) await this.#sendHeld(run, gate);
    } catch (error) {
      failures.push(error);
    } finally {
      gate.close();
    }
    // An abort must not hide a failure of the store after a send.
    if (failures.length > 0) throw failures.find((failure) => !isAbortReason(failure, signal)) ?? failures[0];
    return moved;
  }

  /** Notes a failure: it keeps no other intent from its turn. */
  async #advance(read: Versioned<IntentRecord>, { when, moved, held, failures }: Sweep): Promise<void> {
    const advanced = await this.#worker.advance(read, when).catch((error: unknown) => {
      failures.push(error);
    });
    if (advanced === undefined) return;
    const { record, wasContended, isHeld } = advanced;
    if (wasContended === true) this.#isContended = true;
    if (isHeld === true) held.push(record.key);
    else if (!this.#worker.space.isForeign(record)) moved.push(record);
  }

  /** One sweep waits for the service. Others of this publisher leave that to it. */
  async #sendHeld({ held, ...run }: Sweep, gate: OutageGate): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    try {
      await this.#advanceAll(held, { ...run, when: { ...run.when, gate }, held: [] });
    } finally {
      this.#isWaiting = false;
    }
  }

  async #advanceAll(keys: readonly string[], run: Sweep): Promise<void> {
    await forEachInPool(keys, sweepConcurrency, async (key) => {
      const read = await this.#read(key);
      // Another process may have taken it meanwhile.
      if (read !== undefined && isAwake(read.record, this.#worker.now())) await this.#advance(read, run);
    });
  }

  async #search(reads: readonly Versioned<IntentRecord>[], run: Sweep): Promise<void> {
    const searched = await this.#worker.search(
      reads.map(({ record }) => record),
      await this.#joining(reads, run.when),
    );
    const toResend: string[] = [];
    for (const { record } of reads) {
      const next = searched.get(record.key) ?? record;
      if (this.#worker.isToSend(next, run.when)) toResend.push(record.key);
      else run.moved.push(next);
    }
    await this.#advanceAll(toResend, run);
  }

  /** Other due intents that need a search: a read of their range resolves them too. */
  async #joining(reads: readonly Versioned<IntentRecord>[], when: When): Promise<IntentRecord[]> {
    const { settings, space } = this.#worker;
    const known = new Set(reads.map(({ record }) => space.storedAt(record.key)));
    const most = reads.length + Math.min(mostJoining, reads.length * joiningPerWanted);
    const due = await settings.store.due(space.prefix, settings.now(), most);
    const others = due.filter((storedAt) => !known.has(storedAt));
    const joining: IntentRecord[] = [];
    await forEachInPool(others, sweepConcurrency, async (storedAt) => {
      const read = await this.#read(space.keyOf(storedAt));
      if (read !== undefined && this.#worker.needs(read.record, when) === 'search') joining.push(read.record);
    });
    return joining;
  }

  /** Leaves an intent that a newer version wrote to that version, and one of another service to its publishers. */
  async #read(key: string): Promise<Versioned<IntentRecord> | undefined> {
    const { intents, space } = this.#worker;
    const read = await unlessForeign(() => intents.read(key), undefined);
    return read === undefined || space.isForeign(read.record) ? undefined : read;
  }

  /** Reads due intents. Each intent is read just before it is resumed. */
  async *#due(limit: number, { send }: When): AsyncGenerator<Versioned<IntentRecord>, void, undefined> {
    const { space, settings } = this.#worker;
    let taken = 0;
    for await (const key of this.#dueKeys(limit)) {
      const read = await this.#read(space.keyOf(key));
      // An intent that stays unsent must not take the place of a searched intent.
      if (read === undefined || (send === false && read.record.state === 'ready')) continue;
      if ((read.record.wakeAt ?? Infinity) > settings.now()) {
        this.#isContended = true; // Another process has taken it since.
        continue;
      }
      yield read;
      taken += 1;
      if (taken === limit) return;
    }
  }

  /**
   * Yields the keys of due intents, the oldest first, each once. If several processes sweep, all would take the oldest
   * intents, so each process chooses at random among many.
   */
  async *#dueKeys(limit: number): AsyncGenerator<string, void, undefined> {
    const { space, settings } = this.#worker;
    const seen = new Set<string>();
    // An intent of another service or a newer version does not count towards the limit, so more keys can be needed.
    for (let wanted = limit; ;) {
      const isSpread = this.#isContended;
      const most = Math.min(wanted * (isSpread ? spread : 1), Number.MAX_SAFE_INTEGER);
      const keys = await settings.store.due(space.prefix, settings.now(), most);
      for (const key of isSpread ? shuffled(keys) : keys) {
        if (seen.has(key)) continue;
        if (this.#isContended !== isSpread) break;
        seen.add(key);
        yield key;
      }
      if (this.#isContended !== isSpread) continue;
      if (keys.length < most) return;
      wanted *= 4;
    }
  }

  /** Once an hour, reads open intents of processes whose clocks were ahead: they are never due. */
  async #fromFuture(): Promise<Versioned<IntentRecord>[]> {
    const { space } = this.#worker;
    const { store, now } = this.#worker.settings;
    if (!this.#scan.isDue(now())) return [];
    if (this.#toScan.length === 0) {
      const soon = new Set(await store.due(space.prefix, now(), mostScanned));
      this.#toScan = (await keysWaking(store, space.prefix)).filter((key) => !soon.has(key));
    }
    const found: Versioned<IntentRecord>[] = [];
    await forEachInPool(this.#toScan.slice(0, mostScanned), sweepConcurrency, async (storedAt) => {
      const read = await this.#read(space.keyOf(storedAt));
      if (read !== undefined && isFromFuture(read.record, now())) found.push(read);
    });
    this.#toScan = this.#toScan.slice(mostScanned);
    if (this.#toScan.length === 0) this.#scan.restart(now());
    return found;
  }

  /**
   * Takes an event.
   * @returns the stored key of the intent that the event's post belongs to
   */
  async observe(event: WebhookEvent): Promise<string | undefined> {
    if (!event.known) return undefined;
    const { claims, intents, space } = this.#worker;
    const report = reportOfEvent(event);
    let owner = await claims.ownerOf(report.postId);
    if (owner === 'other scope') return undefined;
    if (owner?.isDecided !== true && (await this.#searchDoubtful(event))) owner = await claims.ownerOf(report.postId);
    if (owner === undefined || owner === 'other scope') return undefined;
    const { key } = owner;
    const read = await intents.read(key);
    if (read === undefined || space.isForeign(read.record)) return undefined;
    // The event of a subscription with a profile has only the targets of that profile: the list shows all of them.
    const isPart = typeof event.profileId === 'string';
    if (!isPart) await intents.apply(read.record, { type: 'event', at: this.#worker.now(), report }, read);
    else if (read.record.state === 'accepted') await this.#worker.searchInTurn([read.record]);
    return key;
  }

  /** An unknown post may belong to an intent in doubt. `false`: no such intent can have the post. */
  async #searchDoubtful(event: KnownWebhookEvent): Promise<boolean> {
    const { content, scheduledFor } = event.data.post;
    const accounts = event.data.platforms.map(({ integrationId }) => String(integrationId)).sort();
    const doubtful: IntentRecord[] = [];
    for (const key of await this.#worker.intents.doubts.keysLike({ content, scheduledFor, accounts })) {
      const read = await this.#read(key);
      if (read?.record.state === 'in_doubt') doubtful.push(read.record);
    }
    if (doubtful.length === 0) return false;
    await this.#worker.searchInTurn(doubtful);
    return true;
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  const ranked = items.map((item) => ({ item, rank: defaultRuntime.random() }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ item }) => item);
}
