import { effect, signal } from '@preact/signals';
import type { Post } from 'social-publishing';
import { onReplacedState } from './earlier-state.js';
import { findPost, posts } from './posts.js';

const key = 'emulator-console-retries';

/** The new posts for the failed targets of other posts. The service does not connect them, so the tab keeps their IDs. */
const retries = signal(new Map(JSON.parse(sessionStorage.getItem(key) ?? '[]') as [string, string][]));

effect(() => {
  sessionStorage.setItem(key, JSON.stringify([...retries.value]));
});

onReplacedState(() => {
  retries.value = new Map();
});

/** After a restart, the emulator uses its IDs again. */
export const retryKey = ({ postId, createdAt = '' }: Post): string => `retry/${postId}/${createdAt}`;

/** Remembers that the failed targets of a post were published again. */
export function rememberRetry(post: Post, retryId: string): void {
  retries.value = new Map(retries.value).set(retryKey(post), retryId);
}

/** Returns the post that published the failed targets of a post again. */
export function retryOf(post: Post): Post | undefined {
  return findPost(retries.value.get(retryKey(post)) ?? '');
}

/** Returns the post whose failed targets a post published again. */
export function retriedBy({ postId }: Post): Post | undefined {
  const found = [...retries.value].find(([, retryId]) => retryId === postId);
  return found === undefined ? undefined : posts.value.find((post) => retryKey(post) === found[0]);
}
