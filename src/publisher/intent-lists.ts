/** Calls about many intents of a publisher's scope and service: reads, counts, decides and removes them. */
import { instantOf, momentOf } from '../model/instant.js';
import { requestOf } from '../posts/read-create.js';
import type { DateTimeInput } from '../schema/fields.js';
import { compareKeys } from '../stores/key-order.js';
import { change, ForeignItems, itemsUnder, keysWaking, unlessForeign, type Versioned } from '../stores/records.js';
import { canonicalOf, hashOf } from './intents/content.js';
import { isDone, type Resolution } from './intents/intent.js';
import type { IntentRecord, IntentState } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { formsOf } from './intents/intent-space.js';
import { decodeIntent, provingNothing } from './intents/stored-intents.js';

const concurrency = 8;
const openStates: ReadonlySet<IntentState | undefined> = new Set(['ready', 'sending', 'in_doubt', 'accepted'] as const);

/** The states of open intents. An accepted draft is done. */
type OpenState = Extract<IntentState, 'ready' | 'sending' | 'in_doubt' | 'accepted'>;

export function isOpenState(state: IntentState | undefined): state is OpenState {
  return openStates.has(state);
}

type IntentReads = AsyncGenerator<Versioned<IntentRecord>, void, undefined>;

/** Reads every intent whose key has the prefix, in the order of keys. */
export async function* readAll(worker: IntentWorker, prefix: string, foreign: ForeignItems): IntentReads {
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

/** The same for open intents, which have a wake time: it reads no finished one. */
export async function* readOpen(worker: IntentWorker, prefix: string, foreign: ForeignItems): IntentReads {
  for await (const read of readOpenOfAll(worker, prefix, foreign)) if (!worker.space.isForeign(read.record)) yield read;
}

/** The same for the intents of all services. */
async function* readOpenOfAll(
  { settings, space, intents }: IntentWorker,
  prefix: string,
  foreign: ForeignItems,
): IntentReads {
  const keys = new Set<string>();
  for (const form of formsOf(prefix)) {
    for (const storedAt of await keysWaking(settings.store, space.storedAt(form))) keys.add(storedAt);
  }
  const sorted = [...keys].sort(compareKeys);
  for (let from = 0; from < sorted.length; from += concurrency) {
    const some = sorted.slice(from, from + concurrency);
    const reads = some.map((storedAt) => foreign.skip(() => intents.read(space.keyOf(storedAt))));
    for (const read of await Promise.all(reads)) if (read !== undefined && read.record.wakeAt !== null) yield read;
  }
}

const toleratedMs = 15 * 60_000;

/** The number of open intents in each state. An accepted draft is done, so it does not count. */
export type OpenCounts = Readonly<Record<OpenState, number>>;

/** The open intents of a publisher, as {@link Publisher.stats} counts them. */
export interface IntentStats {
  /** How many are in each state. */
  readonly byState: OpenCounts;
  /**
   * How many are still open 15 minutes after their time. The time is `scheduledFor`, in UTC if it has no offset. For a post
   * without it, the time is the last send, or the creation of the intent while it is `ready`.
   */
  readonly overdue: number;
  /** `createdAt` of the oldest intent in a state, an ISO 8601 date-time. Missing: no intent is in this state. */
  readonly oldest: {
    /** Of the intents that are `ready`. */
    readonly ready?: string | undefined;
    /** Of the intents that are `in_doubt`. */
    readonly in_doubt?: string | undefined;
  };
  /** The number of open intents of other services in the scope. They count nowhere else, and no call changes them. */
  readonly otherServices: number;
  /** The number of open items that a newer version wrote. They count nowhere else. Missing: none. */
  readonly unreadable?: number | undefined;
}

/** Whether an open intent is late: 15 minutes after its time. */
export function isOverdue(record: IntentRecord, at: number): boolean {
  const { state, post, slots, sent, createdAt } = record;
  // A user can have moved the post.
  const requested = requestOf(record)['scheduledFor'] as string | undefined; // The schema of a create accepted it.
  const scheduledAt = instantOf(post?.scheduledFor) ?? slots?.at(-1) ?? instantOf(requested);
  // Each attempt of a ready intent provably did nothing.
  const sentAt = state === 'ready' ? createdAt : (sent?.at ?? createdAt);
  return at >= (scheduledAt ?? sentAt) + toleratedMs;
}

export async function readStats(worker: IntentWorker): Promise<IntentStats> {
  const at = worker.now();
  const unreadable = new ForeignItems();
  const byState = { ready: 0, sending: 0, accepted: 0, in_doubt: 0 };
  const oldest: { ready?: string; in_doubt?: string } = {};
  let [overdue, otherServices] = [0, 0];
  for await (const { record } of readOpenOfAll(worker, '', unreadable)) {
    const { state } = record;
    if (!isOpenState(state)) continue;
    if (worker.space.isForeign(record)) {
      otherServices += 1;
      continue;
    }
    byState[state] += 1;
    if (isOverdue(record, at)) overdue += 1;
    if (state !== 'ready' && state !== 'in_doubt') continue;
    const createdAt = new Date(record.createdAt).toISOString();
    const earlier = oldest[state];
    if (earlier === undefined || createdAt < earlier) oldest[state] = createdAt;
  }
  return { byState, overdue, oldest, otherServices, ...(unreadable.count > 0 && { unreadable: unreadable.count }) };
}

/** The intents that {@link Publisher.resolveAll} searches for and decides. */
export interface ResolveAllQuery {
  /**
   * `no_match`: decides the intents for which the new search finds no post and no candidate. `failed`: only intents whose
   * last search failed. It also decides them if the new search fails again, so without evidence. Default `no_match`.
   * Intents with candidates are never decided here: decide each with {@link Publisher.resolve}.
   */
  readonly result?: 'no_match' | 'failed' | undefined;
  /** Only intents with keys that start with this text. Default: all. */
  readonly prefix?: string | undefined;
  /**
   * Only intents whose last send began before this time: a `Date`, an instant, or an ISO 8601 date-time with its offset.
   * Default: `settleMs` ago. The service may execute or list a later request only after the search.
   */
  readonly sentBefore?: DateTimeInput | undefined;
}

/** The decisions that can apply to many intents. */
export type ResolutionOfAll = Exclude<Resolution, { readonly as: 'published' }>;

export async function* resolveAll(
  worker: IntentWorker,
  { result, prefix = '', sentBefore }: ResolveAllQuery,
  resolution: ResolutionOfAll,
): AsyncGenerator<IntentRecord, void, undefined> {
  const before = momentOf(sentBefore) ?? worker.now() - worker.settings.settleMs;
  const unreadable = new ForeignItems();
  const wanted: IntentRecord[] = [];
  for await (const { record } of readOpen(worker, prefix, unreadable)) {
    const { state, sent, createdAt, lookup } = record;
    if (state !== 'in_doubt' || (sent?.at ?? createdAt) >= before) continue;
    if (result !== 'failed' || lookup?.result === 'failed') wanted.push(record);
  }
  await provingNothing(() => worker.search(wanted, []));
  const results = result === 'failed' ? ['no_match', 'failed'] : ['no_match'];
  for (const searched of wanted) {
    // A reply or a search at the same time wins: the decision is about the intent as it was read.
    const decide = (record: IntentRecord | undefined) => {
      if (record === undefined || !isSameDoubt(record, searched)) return undefined;
      if (!results.includes(record.lookup?.result ?? '')) return undefined;
      const next = worker.intents.step(record, { type: 'resolve', ...worker.times(), resolution }).record;
      return { record: next, wakeAt: next.wakeAt };
    };
    const { written } = await provingNothing(() => change(worker.intents, searched.key, decide));
    if (written !== undefined) yield written.record;
  }
  unreadable.check();
}

/** Whether the intent was neither sent, decided nor found since. With `onMissing: 'resend'`, the search makes it ready. */
function isSameDoubt({ state, createdAt, attempts, overruled, postId }: IntentRecord, searched: IntentRecord): boolean {
  if (createdAt !== searched.createdAt || attempts !== searched.attempts || postId !== undefined) return false;
  return state === 'in_doubt' || (state === 'ready' && overruled === undefined);
}

/** Yields the intents that a prune removes. */
export async function* readPrunable(worker: IntentWorker, olderThan: number, foreign: ForeignItems): IntentReads {
  for await (const read of readAll(worker, '', foreign))
    if (isDone(read.record) && read.record.updatedAt < olderThan) yield read;
}

/**
 * Removes intents that are done and older. The claim of a post stays until the post is older than 24 hours and no equal
 * intent is open. Without it, an equal intent in doubt could take the post.
 * @throws ForeignDataError a newer version wrote an item, after the others are removed
 */
export async function prune(worker: IntentWorker, olderThan: number): Promise<number> {
  const { claims, intents } = worker;
  const foreign = new ForeignItems();
  const open = await openContents(worker, foreign);
  // An open intent that this version cannot read may be equal to any pruned one.
  const mayRemoveClaims = foreign.count === 0;
  let count = 0;
  for await (const read of readPrunable(worker, olderThan, foreign)) {
    const isRemoved = await foreign.skip(async () => {
      // First the claims: otherwise they would stay forever.
      await claims.retire(read.record);
      return intents.remove(read);
    });
    if (isRemoved === true) count += 1;
  }
  if (mayRemoveClaims) await claims.removeRetired(worker.now(), () => worker.serviceTime(), open);
  await intents.doubts.clean((key) => unlessForeign(async () => mayBeInDoubt((await intents.read(key))?.record), true));
  foreign.check(count === 1 ? '1 other intent was removed.' : `${String(count)} other intents were removed.`);
  return count;
}

/** An entry of the index is written before its intent, which is then still being sent, or ready after an earlier doubt. */
function mayBeInDoubt(record: IntentRecord | undefined): boolean {
  return record !== undefined && ['ready', 'sending', 'in_doubt'].includes(record.state);
}

/** Returns the hashes of the requests of intents without a post: in every scope, because scopes can share a service. */
async function openContents(
  { settings: { store } }: IntentWorker,
  foreign: ForeignItems,
): Promise<ReadonlySet<number>> {
  const open = new Set<number>();
  for (const prefix of ['intent/', 'scoped/']) {
    for (const storedAt of await keysWaking(store, prefix)) {
      const item = await store.get(storedAt);
      const record = item && (await foreign.skip(() => decodeIntent(storedAt, item.data, storedAt)));
      if (record !== undefined && record.postId === undefined) open.add(hashOf(canonicalOf(record)));
    }
  }
  return open;
}
