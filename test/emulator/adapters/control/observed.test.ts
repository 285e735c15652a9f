import { afterEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../../../src/index.js';
import { createEmulator } from '../../../../src/emulator/index.js';
import { serveEmulator, type ServedEmulator, type ServeOptions } from '../../../../src/emulator/adapters/node.js';
import { createPublisher, MemoryDurableStore } from '../../../../src/publisher/index.js';
import { createWebhookInbox, signWebhook } from '../../../../src/webhooks/index.js';

let served: ServedEmulator | undefined;
afterEach(() => served?.close());

const secret = 'whsec_observed';

async function serveObserved(observe: ServeOptions['observe']) {
  const service = createEmulator();
  const account = service.seed.integration({ platform: 'bluesky' });
  served = await serveEmulator(service, { console: true, ...(observe === undefined ? {} : { observe }) });
  const { url } = served;
  const get = async (path: string) => {
    const reply = await fetch(`${url}/_emulator/${path}`);
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  return { service, account, get };
}

function newInbox(store = new MemoryDurableStore()) {
  const inbox = createWebhookInbox({ secret, store, maxAttempts: 1, onError: () => undefined, on: {} });
  const deliver = async (id: string) => {
    const body = JSON.stringify({ id, type: 'post.published', data: { post: { id: 'post_1' }, platforms: [] } });
    const headers = await signWebhook({ body, secret });
    await inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }));
  };
  return { inbox, deliver };
}

describe('observe of serveEmulator', () => {
  it('cancels and edits intents that were not sent, and reports a refusal', async () => {
    const service = createEmulator();
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    const client = new SocialPublishing({ baseUrl: 'https://e.test', accessKey: 'test-key', fetch: service.fetch });
    const publisher = createPublisher({ client, store: new MemoryDurableStore(), sendAheadMs: 60_000 });
    await serveObserved({ publisher });
    const post = async (path: string, body: object) => {
      const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const reply = await fetch(`${served?.url ?? ''}/_emulator/${path}`, init);
      return { status: reply.status, body: (await reply.json()) as unknown };
    };
    const platforms = [{ platform: 'bluesky', accountId }] as const;
    const scheduled = { content: 'Hello', scheduledFor: '2099-01-01T09:00:00Z', platforms };
    await publisher.enqueue('spring/a', scheduled, { extraBody: { timezone: 'UTC' } });
    expect(await post('intents/edit', { key: 'spring/a', content: 'Edited' })).toMatchObject({
      status: 200,
      body: { state: 'ready', content: 'Edited', sendAt: '2099-01-01T08:59:00.000Z' },
    });
    expect(await publisher.get('spring/a')).toMatchObject({
      body: { ...scheduled, content: 'Edited' },
      extraBody: { timezone: 'UTC' },
    });
    expect(await post('intents/cancel', { key: 'spring/a' })).toMatchObject({ body: { state: 'abandoned' } });
    expect(await post('intents/edit', { key: 'spring/a', content: 'Again' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('is abandoned, which is final') as string },
    });
  });

  it('shows the intents of a publisher by state', async () => {
    const service = createEmulator();
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    const client = new SocialPublishing({ baseUrl: 'https://e.test', accessKey: 'test-key', fetch: service.fetch });
    const publisher = createPublisher({ client, store: new MemoryDurableStore() });
    const { get } = await serveObserved({ publisher });
    const body = { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId }] } as const;
    await publisher.publish('campaign/1', body);
    await publisher.enqueue('campaign/2', { ...body, content: 'Later' });
    expect((await get('session')).body).toMatchObject({ observed: ['publisher'] });
    const { body: all } = await get('intents');
    expect(all).toMatchObject({
      counts: { published: 1, ready: 1 },
      items: [
        { key: 'campaign/1', state: 'published', content: 'Hello', attempts: 1, postId: service.posts[0]?.postId },
        { key: 'campaign/2', state: 'ready', content: 'Later', attempts: 0 },
      ],
    });
    const { body: ready } = await get('intents?state=ready&limit=1');
    expect(ready).toMatchObject({ counts: { published: 1, ready: 1 }, items: [{ key: 'campaign/2' }] });
    expect(await get('inbox')).toMatchObject({
      status: 404,
      body: { error: 'No inbox is observed. Pass observe: { inbox } to serveEmulator.' },
    });
  });

  it('shows why an intent is in doubt, and what the last search found', async () => {
    const service = createEmulator();
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    const client = new SocialPublishing({ baseUrl: 'https://e.test', accessKey: 'test-key', fetch: service.fetch });
    const publisher = createPublisher({ client, store: new MemoryDurableStore() });
    const { get } = await serveObserved({ publisher });
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    await publisher.publish('launch', {
      content: 'Hello',
      publishNow: true,
      platforms: [{ platform: 'bluesky', accountId }],
    });
    expect((await get('intents')).body).toMatchObject({
      counts: { in_doubt: 1 },
      items: [{ key: 'launch', lookup: { result: 'no_match' } }],
    });
  });

  it('shows the events of an inbox by state', async () => {
    const { inbox, deliver } = newInbox();
    const { get } = await serveObserved({ inbox });
    await deliver('evt_1');
    await deliver('evt_2');
    const { body } = await get('inbox');
    expect(body).toMatchObject({ counts: { waiting: 2 } });
    expect(body['items']).toContainEqual({
      state: 'waiting',
      id: 'evt_1',
      type: 'post.published',
      failures: 0,
      dueAt: expect.any(String) as string,
    });
    expect((await get('intents')).status).toBe(404);
  });

  it('reports that nothing is observed, and refuses other objects than publishers and inboxes', async () => {
    const { get } = await serveObserved(undefined);
    expect((await get('session')).body).toMatchObject({ observed: [] });
    const inbox = {} as unknown as ReturnType<typeof newInbox>['inbox']; // A caller without types.
    await expect(serveEmulator(createEmulator(), { observe: { inbox } })).rejects.toThrow(
      'observe.inbox must be an inbox of createWebhookInbox',
    );
  });
});
