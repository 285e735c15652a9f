/** Removes old intents of a store. */
import { keysWaking } from '../stores/due-keys.js';
import { canonicalOf, hashOf, type Content } from './content.js';
import { isDone } from './intent.js';
import type { IntentWorker } from './intent-worker.js';
import { readAll } from './open-intents.js';
import { decode } from './stored-data.js';

/**
 * Removes intents that are done and older. The claim of a post stays until the post is older than 24 hours and no equal
 * intent is open. Without it, an equal intent in doubt could take the post.
 */
export async function prune(worker: IntentWorker, olderThan: number): Promise<number> {
  const open = await openContents(worker);
  let count = 0;
  for await (const read of readAll(worker, '')) {
    const { record } = read;
    if (!isDone(record) || record.updatedAt >= olderThan) continue;
    // First the claims: otherwise they would stay forever.
    await worker.claims.retire(record, hashOf(canonicalOf(record)));
    if (await worker.intents.remove(read)) count += 1;
  }
  await worker.claims.removeRetired(worker.now(), () => worker.serviceTime(), open);
  await worker.intents.doubts.clean(async (key) => (await worker.intents.read(key))?.record.state === 'in_doubt');
  return count;
}

/** Returns the hashes of the requests of intents without a post: in every scope, because scopes can share a service. */
async function openContents({ settings: { store } }: IntentWorker): Promise<ReadonlySet<number>> {
  const open = new Set<number>();
  for (const prefix of ['intent/', 'scoped/']) {
    for (const storedAt of await keysWaking(store, prefix)) {
      const item = await store.get(storedAt);
      // A publisher wrote it: it has a body.
      const record = item && (decode(storedAt, item.data) as unknown as Content & { readonly postId?: string });
      if (record !== undefined && record.postId === undefined) open.add(hashOf(canonicalOf(record)));
    }
  }
  return open;
}
