import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { createWebhookReceiver } from '../../src/webhooks/index.js';

const hour = 3_600_000;

/** A post to two profiles. The subscription is of one of them, so its events have only a part of the targets. */
async function published({ isListDown = false } = {}) {
  let receive: (request: Request) => Promise<Response> = () => Promise.resolve(new Response());
  const service = createEmulator({ accessKey: 'key', deliver: (request) => receive(request) });
  const now = () => service.clock.now();
  service.seed.integration({ id: 'a', platform: 'bluesky', profileId: 'shop' });
  service.seed.integration({ id: 'b', platform: 'tiktok', profileId: 'blog' });
  const { webhook } = service.seed.subscription({ webhook: { url: 'https://app.test/' }, profileId: 'shop' });
  const client = new SocialPublishing(
    { baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch, maxRetries: 0 },
    { now, monotonic: now },
  );
  const publisher = createPublisher({ client, store: new MemoryDurableStore(), now });
  const secret = webhook?.secret ?? '';
  const receiver = createWebhookReceiver({ secret, now, on: { default: (event) => publisher.observe(event) } });
  receive = (request) => receiver.fetch(request);
  service.publishing.outcome({ platform: 'tiktok', error: 'media rejected', times: 1 });
  await publisher.publish('k', {
    content: 'Hello',
    scheduledFor: new Date(now() + hour),
    platforms: [
      { platform: 'bluesky', accountId: 'a' },
      { platform: 'tiktok', accountId: 'b' },
    ],
  });
  const remove = !isListDown
    ? () => undefined
    : service.faults.add({ kind: 'status', status: 503, route: 'GET /v1/posts/' });
  await service.clock.advance({ hours: 2 });
  await service.settled();
  remove();
  return { publisher, service };
}

describe('an event of a subscription with a profile', () => {
  it('makes the intent final with the results of all targets, which the list shows', async () => {
    const { publisher } = await published();
    expect(await publisher.get('k')).toMatchObject({
      state: 'partial',
      targets: [{ state: 'published' }, { state: 'failed' }],
    });
    expect(await publisher.retryFailed('k', 'k/retry-1')).toMatchObject({ state: 'published' });
  });

  it('leaves the intent to the next sweep if the list cannot be read', async () => {
    const { publisher, service } = await published({ isListDown: true });
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted' });
    await service.clock.advance({ hours: 1 });
    await publisher.sweep();
    expect(await publisher.get('k')).toMatchObject({
      state: 'partial',
      targets: [{ state: 'published' }, { state: 'failed' }],
    });
  });
});
