/** Reading and forgetting what a store holds. */
import { momentMessage, momentOf } from '../model/instant.js';
import { InvalidRequestError } from '../core/errors.js';
import { intentPrefix } from './codec.js';
import { checkCall } from './check-call.js';
import type { Engine } from './engine.js';
import { isDone } from './intent.js';
import { versioned, type Versioned } from './intents.js';
import { intentStates } from './record.js';
import type { ListIntentsQuery, PruneOptions } from './publisher.js';
import { canonicalOf } from './content.js';

const pageSize = 100;

/** Every intent whose key has the prefix, in the order of keys. */
export async function* readAll({ settings }: Engine, prefix: string): AsyncGenerator<Versioned, void, undefined> {
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

/** @throws InvalidRequestError */
export function checkList(query: ListIntentsQuery): void {
  checkCall(query, ['state', 'prefix']);
  const { state, prefix } = query;
  const issues = [];
  if (state !== undefined && !intentStates.includes(state)) {
    issues.push({ path: ['state'], message: `must be one of ${intentStates.join(', ')}` });
  }
  if (prefix !== undefined && typeof prefix !== 'string')
    issues.push({ path: ['prefix'], message: 'must be a string' });
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

/** @throws InvalidRequestError */
export function readTime(options: PruneOptions): number {
  checkCall(options, ['olderThan']);
  const { olderThan } = options;
  const time = momentOf(olderThan);
  if (time === undefined) throw new InvalidRequestError([{ path: ['olderThan'], message: momentMessage(olderThan) }]);
  return time;
}

/**
 * Forgets what is done and older. What is equal to an intent that is still open stays: without its claim, its post could
 * be taken for that one's.
 */
export async function prune(engine: Engine, olderThan: number): Promise<number> {
  const open = new Set<string>();
  for await (const { record } of readAll(engine, '')) {
    if (record.postId === undefined && record.wakeAt !== null) open.add(canonicalOf(record));
  }
  let count = 0;
  for await (const read of readAll(engine, '')) {
    const { record } = read;
    if (!isDone(record) || record.updatedAt >= olderThan || open.has(canonicalOf(record))) continue;
    // The claims go first: left behind, they would stay for ever.
    await engine.claims.release(record.key, record.postId, record.slots);
    if (await engine.intents.remove(read)) count += 1;
  }
  return count;
}
