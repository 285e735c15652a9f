import { SocialPublishing, type PublishPostBody } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import type { DurableStore } from '../../../src/stores/store.js';

/** The posts to publish, and the service. */
export interface Campaign {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly intents: number;
}

const leaseMs = 1_000;

/**
 * Publishes a campaign, as a program does that is started again after each crash, and returns the state of each intent.
 * Intents that a crash left in doubt are searched at once.
 */
export async function publishCampaign(
  store: DurableStore,
  { baseUrl, accountId, intents }: Campaign,
): Promise<Record<string, string>> {
  const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
  const publisher = createPublisher({ client, store, leaseMs });
  const bodyOf = (key: string): PublishPostBody => ({
    content: key,
    publishNow: true,
    platforms: [{ platform: 'bluesky', accountId }],
  });
  const keys = Array.from({ length: intents }, (_, i) => `intent-${String(i)}`);
  const items = keys.map((key) => ({ key, body: bodyOf(key) }));
  const open = new Set<string>();
  for await (const { key, state } of publisher.publishMany(items, { concurrency: 4 }))
    if (['ready', 'sending', 'in_doubt'].includes(state)) open.add(key);
  if (open.size > 0) await new Promise((resolve) => setTimeout(resolve, leaseMs * 1.5));
  for (const key of open) await publisher.resume(key);
  const states: Record<string, string> = {};
  for await (const { key, state } of publisher.list()) states[key] = state;
  return states;
}
