/** examples/nextjs: its route handlers, in front of the emulator and of Upstash's client over a real Redis. */
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { afterEach, expect, it, vi } from 'vitest';
import { GET } from '../../../examples/nextjs/app/cron/route.js';
import { POST } from '../../../examples/nextjs/app/webhooks/route.js';
import { publishing } from '../../../examples/nextjs/lib/publishing.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { SocialPublishing } from '../../../src/index.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';
import { UpstashBridge } from './upstash-bridge.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const step of cleanUp.splice(0).reverse()) await step();
});

it('examples/nextjs publishes, stores the event of the post, and handles it in the cron route', async () => {
  const prefix = `social-publishing-nextjs-${randomUUID()}:`;
  cleanUp.push(() => removeRedisKeys(prefix));
  const bridge = await UpstashBridge.start(serverUrl('REDIS_URL'));
  cleanUp.push(() => bridge.close());
  const service = createEmulator({ accessKey: 'test-key', now: () => Date.now() });
  const served = await serveEmulator(service, { realTime: true });
  cleanUp.push(() => served.close());
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const app = serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => POST(request) });
  await new Promise((resolve) => app.once('listening', resolve));
  cleanUp.push(() => app.close());
  const address = app.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published'],
    webhook: { url: `http://127.0.0.1:${String(port)}/webhooks` },
  });
  const env = {
    ...{ UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: 'test', REDIS_PREFIX: prefix },
    ...{ SOCIAL_PUBLISHING_BASE_URL: served.url, SOCIAL_PUBLISHING_ACCESS_KEY: 'test-key' },
    ...{ WEBHOOK_SECRET: webhook?.secret ?? '', CRON_SECRET: 'cron', HANDLE_EVENTS_MS: '300' },
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);

  const { publisher, inbox } = publishing();
  const key = randomUUID();
  const body = { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId }] } as const;
  expect((await publisher.publish(key, body)).postId).toBe(service.posts[0]?.postId);
  await vi.waitUntil(async () => (await inbox.list({ state: 'waiting' }).next()).value !== undefined, {
    timeout: 60_000,
  });

  expect((await GET(new Request('https://app.test/cron'))).status).toBe(401);
  const cron = new Request('https://app.test/cron', { headers: { authorization: 'Bearer cron' } });
  expect((await GET(cron)).status).toBe(200);
  expect((await inbox.list({ state: 'done' }).next()).value).toMatchObject({ state: 'done' });
  expect(await publisher.get(key)).toMatchObject({ state: 'published' });
  expect((await publisher.publish(key, body)).replayed).toBe(true);
  expect(service.posts).toHaveLength(1);
});
