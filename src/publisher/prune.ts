/** Removes old intents of a store. */
import { keysWaking, unlessForeign } from '../stores/records.js';
import { canonicalOf, hashOf } from './intents/content.js';
import { isDone } from './intents/intent.js';
import type { IntentRecord } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { ForeignItems, readAll } from './open-intents.js';
import { decodeIntent } from './intents/stored-intents.js';

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
  for await (const read of readAll(worker, '', foreign)) {
    const { record } = read;
    if (!isDone(record) || record.updatedAt >= olderThan) continue;
    const isRemoved = await foreign.skip(async () => {
      // First the claims: otherwise they would stay forever.
      await claims.retire(record);
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
