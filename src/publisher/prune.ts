/** Lists and prunes the intents of a store. */
import { canonicalOf, hashOf } from './content.js';
import { isDone } from './intent.js';
import type { IntentWorker } from './intent-worker.js';
import { intentPrefix, versioned, type Versioned } from './stored-intents.js';

const pageSize = 100;

/** Reads every intent whose key has the prefix, in the order of keys. */
export async function* readAll({ settings }: IntentWorker, prefix: string): AsyncGenerator<Versioned, void, undefined> {
  for (let after: string | undefined; ;) {
    const page = await settings.store.scan(intentPrefix + prefix, after, pageSize);
    for (const item of page) {
      const read = versioned(item.key, item);
      if (read !== undefined) yield read;
    }
    if (page.length < pageSize) return;
    after = page.at(-1)?.key;
  }
}

/**
 * Removes intents that are done and older. The claim of a post stays until the post is older than 24 hours and no equal
 * intent is open. Without it, an equal intent in doubt could take the post.
 */
export async function prune(worker: IntentWorker, olderThan: number): Promise<number> {
  const open = new Set<number>();
  for await (const { record } of readAll(worker, '')) {
    if (record.postId === undefined && record.wakeAt !== null) open.add(hashOf(canonicalOf(record)));
  }
  let count = 0;
  for await (const read of readAll(worker, '')) {
    const { record } = read;
    if (!isDone(record) || record.updatedAt >= olderThan) continue;
    // First the claims: otherwise they would stay forever.
    await worker.claims.retire(record, hashOf(canonicalOf(record)));
    if (await worker.intents.remove(read)) count += 1;
  }
  await worker.claims.removeRetired(worker.now(), () => worker.serviceTime(), open);
  return count;
}
