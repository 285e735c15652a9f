import { createWebhookInbox } from '../../../src/webhooks/index.js';
import { createPublisher, MemoryDurableStore } from '../../../src/publisher/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { targetOf } from '../../../src/index.js';
import { clientOf, serveWorld, start, type World } from './world.js';

/** The demo with failures, long texts, and a publisher and an inbox that are observed. */
export interface FullWorld {
  readonly url: string;
  /** A scheduled post with a planned failure. */
  readonly planned: string;
  /** A request with a long body. */
  readonly long: string;
  readonly close: () => Promise<void>;
}

/** Adds a request with a long body and a long reply, a long conversation, and many deliveries. */
async function addLongTexts(world: World): Promise<void> {
  const { service } = world;
  const client = clientOf(world);
  const accounts = await client.integrations.list({ platform: 'instagram' }).toArray();
  for (const { id } of accounts)
    for (let sent = 0; sent < 40; sent += 1)
      service.incoming.message({ accountId: id, text: `Message ${sent}`, from: { id: 'kim', name: 'Kim' } });
  service.seed.subscription({
    channel: 'webhook',
    webhook: { url: 'https://long.example/' },
  });
  for (let sent = 0; sent < 12; sent += 1)
    await client.posts.create(
      { content: `Long ${sent}`, platforms: accounts.slice(0, 1).map(targetOf), publishNow: true },
      { extraBody: { lines: Array.from({ length: 200 }, (_, line) => `line ${line}`) } },
    );
  await service.clock.advance({ hours: 1 });
}

export async function serveFullWorld({ isLong = false } = {}): Promise<FullWorld> {
  const world = await serveWorld((service) => {
    service.seed.demo();
    service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
  });
  const { service } = world;
  const account = service.seed.integration({ platform: 'bluesky', username: 'acme.bluesky' });
  const platforms = [{ platform: 'bluesky', accountId: account.id }] as const;
  const { postId } = service.seed.post({
    content: `A planned failure with many words. ${'These are more words. '.repeat(12)}`,
    status: 'scheduled',
    scheduledFor: new Date(start + 3 * 86_400_000).toISOString(),
    platforms,
    rawRequestBody: { platforms },
  });
  service.publishing.outcome({ postId, platform: 'bluesky', error: 'Refused' });
  await service.clock.advance({ days: 2 });
  if (isLong) await addLongTexts(world);
  const long = service.requests.findLast(({ method }) => method === 'POST')?.id ?? '';
  service.faults.add({ kind: 'latency', latencyMs: 1 });
  const publisher = createPublisher({ client: clientOf(world), store: new MemoryDurableStore() });
  await publisher.publish('campaign/1', { content: 'Durable', saveAsDraft: true });
  const inbox = createWebhookInbox({ secret: 'whsec_of_a_test', store: new MemoryDurableStore(), on: {} });
  const observed = await serveEmulator(service, { console: true, observe: { publisher, inbox } });
  return {
    url: `${observed.url}/`,
    planned: postId,
    long,
    close: async () => {
      await observed.close();
      await world.close();
    },
  };
}

/** The addresses of all views, layouts and dialogs. */
export const placesOf = ({ planned }: FullWorld): readonly string[] => [
  '#/calendar',
  '#/calendar?layout=week',
  '#/calendar?layout=agenda',
  '#/posts',
  '#/posts?status=problem',
  '#/posts?status=draft&platform=tiktok',
  '#/accounts',
  '#/comments',
  '#/messages',
  '#/automations',
  '#/analytics',
  '#/webhooks',
  '#/webhooks?show=subscriptions',
  '#/requests',
  '#/faults',
  '#/durable',
  `#/posts?post=${planned}`,
  `#/posts?edit=${planned}`,
  '#/posts?compose=any',
  '#/posts?tool=connection',
  '#/posts?tool=state',
  '#/posts?tool=clock',
  '#/posts?tool=commands',
  '#/posts?tool=shortcuts',
];
