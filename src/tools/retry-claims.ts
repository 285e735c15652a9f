/** The one retry of each post: parallel calls with different keys must not publish the failed targets twice. */
import type { Intent } from '../publisher/intent-view.js';
import { normalKey } from '../publisher/intent-space.js';
import type { FailedRetry } from '../resources/retry-failed.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import { isSame } from './plan-post.js';
import type { PublisherContext } from './tool-context.js';

/** A retry of a post that is about to be published. */
export interface PlannedRetry {
  readonly original: Intent;
  readonly retryKey: string;
  readonly retry: FailedRetry;
}

interface RetryClaim {
  readonly format: 1;
  readonly retryKey: string;
  /** Of the original post: a key that was pruned and used again has another post. */
  readonly createdAt: string;
}

/** Claims the retry of a post. Returns the key that has claimed it; another key must not be published. */
export async function claimRetry(context: PublisherContext, planned: PlannedRetry): Promise<string> {
  const { store } = context;
  const { original, retryKey } = planned;
  const at = storedAt(original);
  const data = JSON.stringify({ format: 1, retryKey, createdAt: original.createdAt } satisfies RetryClaim);
  for (;;) {
    if ((await insertItem(store, at, data, null)) !== undefined) return retryKey;
    const item = await store.get(at);
    if (item === undefined) continue;
    const holder = await holderOf(context, planned, item.data);
    if (holder !== undefined) return holder;
    if ((await swapItem(store, { key: at, version: item.version }, data, null)) !== undefined) return retryKey;
  }
}

/** Finds the key of another retry of the post: a claimed one, or one of another program. */
export async function earlierRetry(context: PublisherContext, planned: PlannedRetry): Promise<string | undefined> {
  const item = await context.store.get(storedAt(planned.original));
  const holder = item && (await holderOf(context, planned, item.data));
  if (holder !== undefined) return normalKey(holder) === planned.retryKey ? undefined : holder;
  for await (const intent of context.publisher.list()) {
    const isLater = intent.createdAt > planned.original.createdAt && intent.key !== planned.original.key;
    if (isLater && isOpen(intent) && isSame(intent, planned.retry)) return intent.key;
  }
  return undefined;
}

/** `undefined`: the claim is over. */
async function holderOf(
  { publisher }: PublisherContext,
  { original, retry }: PlannedRetry,
  data: string,
): Promise<string | undefined> {
  // Only `claimRetry` writes items with this prefix.
  const claim = JSON.parse(data) as RetryClaim;
  if (claim.createdAt !== original.createdAt) return undefined;
  const intent = await publisher.get(claim.retryKey);
  // Without an intent, its call is about to publish it, or ended before that: the same key goes on.
  return intent === undefined || (isOpen(intent) && isSame(intent, retry)) ? claim.retryKey : undefined;
}

/** Whether the retry may have published something, or can still do it. */
function isOpen({ state }: Intent): boolean {
  return state !== 'rejected' && state !== 'abandoned';
}

function storedAt({ key }: Intent): string {
  return `tools/retry_failed_targets/${key}`;
}
