import { SocialPublishing } from 'social-publishing';
import { createEmulator, type Emulator } from 'social-publishing/emulator';
import { verifyWebhook } from 'social-publishing/webhooks';
import { beforeEach, expect, it } from 'vitest';

const startsAt = Date.parse('2026-03-02T09:00:00Z');

let service: Emulator;
let client: SocialPublishing;
/** The deliveries to https://app.test/hook. */
let received: Request[];

beforeEach(() => {
  received = [];
  service = createEmulator({
    now: () => startsAt,
    deliver: (request) => {
      received.push(request.clone());
      return new Response(null, { status: 204 });
    },
  });
  client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch });
});

it('a user who subscribes to events keeps the secret, which is shown only once, and verifies deliveries', async () => {
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published'],
    webhook: { url: 'https://app.test/hook' },
  });
  const secret = webhook?.secret ?? '';
  expect(secret).not.toBe('');

  const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
  const { postId } = await client.posts.create({
    content: 'Hello',
    publishNow: true,
    platforms: [{ platform: 'bluesky', accountId }],
  });
  await service.settled();

  const [request] = received;
  const event = await verifyWebhook({
    headers: request?.headers ?? {},
    body: new Uint8Array((await request?.arrayBuffer()) ?? new ArrayBuffer()),
    secret,
    now: () => startsAt,
  });
  expect(event).toMatchObject({ type: 'post.published', data: { post: { id: postId } } });
});

it('a user who subscribes only to failures gets nothing else', async () => {
  await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.failed'],
    webhook: { url: 'https://app.test/hook' },
  });
  const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
  const platforms = [{ platform: 'bluesky' as const, accountId }];

  await client.posts.create({ content: 'Fine', publishNow: true, platforms });
  service.publishing.outcome({ error: 'Too long.' });
  await client.posts.create({ content: 'Not fine', publishNow: true, platforms });
  await service.settled();

  expect(service.deliveries.map(({ eventType }) => eventType)).toEqual(['post.failed']);
});

it('a user who subscribes to an unknown event gets an error of the service', async () => {
  const subscription = client.notifications.create({
    channel: 'webhook',
    // @ts-expect-error the compiler says so too
    eventTypes: ['post.imagined'],
    webhook: { url: 'https://app.test/hook' },
  });
  await expect(subscription).rejects.toThrow(/eventTypes/);
});
