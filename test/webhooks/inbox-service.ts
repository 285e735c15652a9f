import { createEmulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/index.js';
import type { WebhookInboxOptions } from '../../src/webhooks/index.js';
import type { InboxProcess } from './inbox-world.js';
import { InboxWorld } from './inbox-world.js';

/** The service in memory, with a subscription whose deliveries go to processes with inboxes on one store. */
export async function setUpService() {
  const world = new InboxWorld();
  const start = world.time;
  let secret = '';
  const processes: InboxProcess[] = [];
  let [turn, isListening] = [0, true];
  const service = createEmulator({
    accessKey: 'test-key',
    now: () => start,
    deliver: (request) => {
      const alive = processes.filter(({ store }) => !store.isCrashed);
      const process = alive[(turn += 1) % alive.length];
      if (!isListening || process === undefined) throw new Error('connection refused');
      const reset = () => Promise.reject(new Error('connection reset'));
      return Promise.race([process.inbox.fetch(request), process.store.crashed.then(reset)]);
    },
  });
  world.now = () => service.clock.now();
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  const accounts = (['bluesky', 'tiktok'] as const).map((platform) => ({
    platform,
    accountId: service.seed.integration({ platform }).id,
  }));
  const created = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.scheduled', 'post.published', 'post.partial', 'post.failed'],
    webhook: { url: 'https://inbox.test/' },
  });
  secret = created.webhook?.secret ?? '';
  return {
    world,
    service,
    client,
    accounts,
    /** When the test begins. */
    since: new Date(service.clock.now()),
    /** A process more that takes deliveries. */
    process: (options: Partial<WebhookInboxOptions> = {}) => {
      const process = world.process({ secret, ...options });
      processes.push(process);
      return process;
    },
    listen: (is: boolean) => {
      isListening = is;
    },
    publish: (content: string, platforms = accounts) => client.posts.create({ content, publishNow: true, platforms }),
    schedule: (content: string, hours: number) =>
      client.posts.create({
        content,
        scheduledFor: new Date(service.clock.now() + hours * 3_600_000),
        platforms: accounts,
      }),
  };
}
