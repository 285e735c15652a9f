/** Decides many intents in doubt at once: those for which a new search finds no post. */
import type { DateTimeInput } from '../schema/fields.js';
import { momentOf } from '../model/instant.js';
import { change } from '../stores/records.js';
import type { Resolution } from './intents/intent.js';
import type { IntentRecord } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { ForeignItems, readOpen } from './open-intents.js';
import { provingNothing } from './intents/stored-intents.js';

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
    const isDecidable = (record: IntentRecord) =>
      isSameDoubt(record, searched) && results.includes(record.lookup?.result ?? '');
    const decided = await provingNothing(() => decide(worker, searched.key, isDecidable, resolution));
    if (decided !== undefined) yield decided;
  }
  unreadable.check();
}

/** Whether the intent was neither sent, decided nor found since. With `onMissing: 'resend'`, the search makes it ready. */
function isSameDoubt({ state, createdAt, attempts, overruled, postId }: IntentRecord, searched: IntentRecord): boolean {
  if (createdAt !== searched.createdAt || attempts !== searched.attempts || postId !== undefined) return false;
  return state === 'in_doubt' || (state === 'ready' && overruled === undefined);
}

/** A reply or a search at the same time wins: the decision is about the intent as it was read. */
async function decide(
  worker: IntentWorker,
  key: string,
  isDecidable: (record: IntentRecord) => boolean,
  resolution: ResolutionOfAll,
): Promise<IntentRecord | undefined> {
  const { intents } = worker;
  const { written } = await change<IntentRecord>(intents, key, (record) => {
    if (record === undefined || !isDecidable(record)) return undefined;
    const next = intents.step(record, { type: 'resolve', ...worker.times(), resolution }).record;
    return { record: next, wakeAt: next.wakeAt };
  });
  return written?.record;
}
