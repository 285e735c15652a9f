import { SocialPublishing, type PublishPostBody } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { createWebhookInbox, type WebhookInbox } from '../../../src/webhooks/index.js';

/** The posts to publish, and the service. */
export interface Campaign {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly intents: number;
  /** The secret and the port of the webhook, and the URL that receives the post's ID of each handled event. */
  readonly events: { readonly secret: string; readonly port: number; readonly collector: string };
}

const leaseMs = 1_000;

/** Returns an inbox for the events of a campaign. */
export function campaignInbox(store: DurableStore, { events: { secret, collector } }: Campaign): WebhookInbox {
  return createWebhookInbox({
    ...{ store, secret, leaseMs },
    on: {
      default: async (event) => {
        if (event.known) await fetch(collector, { method: 'POST', body: event.data.post.id });
      },
    },
  });
}

/**
 * Publishes a campaign, as a program does that is started again after each crash, and returns the state of each intent.
 * Intents that a crash left in doubt are searched at once. Then it recovers missed events, and handles all of them.
 */
export async function publishCampaign(
  store: DurableStore,
  inbox: WebhookInbox,
  { baseUrl, accountId, intents }: Campaign,
): Promise<Record<string, string>> {
  const since = new Date(Date.now() - 3_600_000);
  const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
  const handling = inbox.start({ concurrency: 4, pollMs: 100 });
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
  await inbox.catchUp({ client, since });
  await waitForEvents(inbox);
  await handling.stop();
  return states;
}

/** Resolves once no event waits, or after half a minute. */
async function waitForEvents(inbox: WebhookInbox): Promise<void> {
  for (let i = 0; i < 150; i += 1) {
    const { done } = await inbox.list({ state: 'waiting' }).next();
    if (done === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
