import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Intent } from '../../src/publisher/intents/intent-record.js';

/** The results of the intents. */
export interface CountedIntents {
  readonly intents: number;
  readonly posts: number;
  /** Posts beyond the first of an intent. */
  readonly doubles: number;
  /** Intents with another intent's post, or with no post although they say so. */
  readonly wrong: number;
  /** Intents in doubt, by the last step of their process. */
  readonly held: Readonly<Record<string, number>>;
  /** Held as `no_match` although a post exists. */
  readonly heldWithPost: number;
  /** Held with their post as a candidate. */
  readonly candidates: number;
  /** Intents that are not accepted and not held. */
  readonly open: number;
  /** Sends beyond the first of an intent: allowed only if the previous one was proved not sent. */
  readonly resent: number;
  /** Intents whose reply was not read: their post was found in the list. */
  readonly found: number;
}

/** Returns the steps of each key. */
export function readSteps(folder: string): Map<string, string[]> {
  const steps = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => name.startsWith('worker-'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const [key = '', step = ''] = line.split(' ');
      if (step !== '') steps.set(key, [...(steps.get(key) ?? []), step]);
    }
  }
  return steps;
}

export function countIntents(
  wanted: number,
  intents: readonly Intent[],
  posts: readonly { readonly postId: string; readonly content?: string | undefined }[],
  steps: ReadonlyMap<string, readonly string[]>,
): CountedIntents {
  const byContent = new Map<string, string[]>();
  for (const { postId, content = '' } of posts) byContent.set(content, [...(byContent.get(content) ?? []), postId]);
  const held: Record<string, number> = {};
  let [doubles, wrong, heldWithPost, candidates, open, resent, found] = [0, 0, 0, 0, 0, 0, 0];
  for (const ids of byContent.values()) doubles += ids.length - 1;
  for (const { key, state, postId, attempts, lookup } of intents) {
    const own = byContent.get(key) ?? [];
    const came = steps.get(key) ?? [];
    resent += Math.max(0, attempts - 1);
    if (postId !== undefined) {
      if (!own.includes(postId)) wrong += 1;
      if (!came.includes('replied')) found += 1;
    } else if (state === 'in_doubt') {
      const sentTo = lastPoint(came);
      held[sentTo] = (held[sentTo] ?? 0) + 1;
      if (own.length > 0 && lookup?.result === 'candidates') candidates += 1;
      else if (own.length > 0) heldWithPost += 1;
    } else open += 1;
  }
  open += wanted - intents.length;
  const known = new Set(intents.map(({ key }) => key));
  for (const key of byContent.keys()) if (!known.has(key)) wrong += 1;
  return { intents: wanted, posts: posts.length, doubles, wrong, held, heldWithPost, candidates, open, resent, found };
}

/** Returns the last step of the process that sent it. */
function lastPoint(steps: readonly string[]): string {
  if (steps.includes('replied')) return 'reply read';
  return steps.includes('request') ? 'request not received' : 'marked';
}
