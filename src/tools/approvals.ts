/** The calls that the user approved. Each is stored, so that a restart does not ask again. */
import { isSameContent } from '../publisher/content.js';
import { normalKey } from '../publisher/intent-space.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { OnceStore } from '../publisher/once.js';
import type { Data } from './results.js';

export interface ApprovedCall {
  readonly tool: string;
  readonly key: string;
  readonly content: Data;
}

/** Whether the user approved this call with this content. */
export async function wasApproved(store: OnceStore, call: ApprovedCall): Promise<boolean> {
  const item = await store.get(storedAt(call));
  return item !== undefined && isOf(call, item.data);
}

/** Records an approval. It replaces the approval of another content. */
export async function recordApproval(store: OnceStore, call: ApprovedCall): Promise<void> {
  const key = storedAt(call);
  const data = JSON.stringify({ format: 1, content: call.content });
  for (;;) {
    if ((await insertItem(store, key, data, null)) !== undefined) return;
    const item = await store.get(key);
    if (item === undefined) continue;
    if (isOf(call, item.data)) return;
    if ((await swapItem(store, { key, version: item.version }, data, null)) !== undefined) return;
  }
}

function storedAt({ tool, key }: ApprovedCall): string {
  return `tools/approved/${tool}/${normalKey(key)}`;
}

function isOf({ content }: ApprovedCall, data: string): boolean {
  // Only `recordApproval` writes items with this prefix.
  const approved = (JSON.parse(data) as { content: Data }).content;
  return isSameContent({ body: approved }, { body: content });
}
