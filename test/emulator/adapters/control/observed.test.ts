import { afterEach, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../../src/emulator/index.js';
import { serveEmulator, type ServedEmulator, type ServeOptions } from '../../../../src/emulator/adapters/node.js';
import { MemoryDurableStore } from '../../../../src/publisher/index.js';
import { neverArrived, World, worldWith } from '../../../publisher/world.js';
import { createWebhookInbox, signWebhook } from '../../../../src/webhooks/index.js';

let served: ServedEmulator | undefined;
afterEach(() => served?.close());

const secret = 'whsec_observed';

/** Requests to the control API of an emulator that observes these. */
async function serveObserved(observe: ServeOptions['observe']) {
  served = await serveEmulator(createEmulator(), { console: true, ...(observe === undefined ? {} : { observe }) });
  const { url } = served;
  const ask = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${url}/_emulator/${path}`, init);
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body), headers });
  return { get: (path: string) => ask(path), post };
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
    const world = new World();
    const publisher = world.process({ sendAheadMs: 60_000 });
    const { post } = await serveObserved({ publisher });
    const scheduled = { ...world.later(), content: 'Hello', scheduledFor: '2099-01-01T09:00:00Z' };
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
    const world = new World();
    const publisher = world.process();
    const { get } = await serveObserved({ publisher });
    await publisher.publish('campaign/1', world.now);
    await publisher.enqueue('campaign/2', { ...world.now, content: 'Later' });
    expect((await get('session')).body).toMatchObject({ observed: ['publisher'] });
    const { body: all } = await get('intents');
    expect(all).toMatchObject({
      counts: { published: 1, ready: 1 },
      items: [
        { key: 'campaign/1', state: 'published', content: 'Hello', attempts: 1, postId: world.posts[0]?.postId },
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
    const world = worldWith(neverArrived);
    const publisher = world.process();
    const { get } = await serveObserved({ publisher });
    await publisher.publish('launch', world.now);
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
