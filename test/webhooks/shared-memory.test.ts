import { describe, expect, it } from 'vitest';
import { signWebhook, type WebhookReceiverOptions } from '../../src/webhooks/index.js';
import { newGate } from '../support/gate.js';
import { InboxWorld, ProcessStore, type InboxProcess, type StoreFault } from './inbox-world.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';

const post = {
  postId: published.data.post.id,
  status: 'published',
  createdAt: new Date(1_735_787_000_000).toISOString(),
};

/** A client whose list has the post of the event `published`. */
const client = {
  posts: {
    // eslint-disable-next-line @typescript-eslint/require-await -- a list is asynchronous
    list: async function* () {
      yield post;
    },
  },
};

/** A receiver and inboxes on one store. */
function share(options: Partial<WebhookReceiverOptions> = {}) {
  const world = new InboxWorld();
  const { receiver, handled, errors } = setUp({
    store: world.memory,
    now: () => world.time,
    toleranceSeconds: false,
    ...options,
  });
  const deliver = async (event: object = published, signedWith = secret) => {
    const body = JSON.stringify(event);
    const headers = await signWebhook({ body, secret: signedWith });
    return (await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }))).status;
  };
  return { world, deliver, handled, errors };
}

const catchUp = ({ inbox }: InboxProcess) => inbox.catchUp({ client, since: new Date(1_735_700_000_000) });

describe('a receiver and an inbox with the same secret on one store', () => {
  it('an event that the receiver handled is not handled again by the inbox', async () => {
    const { world, deliver, handled } = share();
    expect(await deliver()).toBe(200);
    const process = world.process();
    expect(await process.deliver(published)).toBe(200);
    await process.work();
    expect([handled.length, process.ids]).toEqual([1, []]);
  });

  it('an event that the inbox handled is not handled again by the receiver', async () => {
    const { world, deliver, handled } = share();
    const process = world.process();
    await process.deliver(published);
    await process.work();
    expect(await deliver()).toBe(200);
    expect([handled.length, process.ids]).toEqual([0, ['evt_1']]);
  });

  it('catchUp skips the post and the state of an event that the receiver handled', async () => {
    const { world, deliver } = share();
    await deliver();
    const process = world.process();
    expect(await catchUp(process)).toEqual({ recovered: 0 });
    await process.work();
    expect(process.ids).toEqual([]);
  });

  it('catchUp recovers a post whose event the receiver could not handle', async () => {
    const { world, deliver } = share({ on: { default: () => Promise.reject(new Error('boom')) } });
    expect(await deliver()).toBe(500);
    const process = world.process();
    expect(await catchUp(process)).toEqual({ recovered: 1 });
    await process.work();
    expect(process.ids).toHaveLength(1);
  });

  it('the receiver acknowledges the late event of a post that catchUp recovered', async () => {
    const { world, deliver, handled } = share();
    const process = world.process();
    await catchUp(process);
    await process.work();
    expect(await deliver()).toBe(200);
    expect([handled.length, process.ids.length]).toEqual([0, 1]);
  });

  it('while the receiver handles an event, the inbox waits: both for the event and for its recovered form', async () => {
    const running = newGate();
    const { world, deliver } = share({ on: { default: () => running.opened } });
    const process = world.process();
    const response = deliver();
    await expect.poll(() => world.memory.size).toBe(2);
    await process.deliver(published);
    await catchUp(process);
    await process.work();
    expect(process.ids).toEqual([]);
    running.open();
    expect(await response).toBe(200);
    world.time += 3_600_000;
    await process.work();
    expect(process.ids).toEqual([]);
    expect(await world.memory.due('inbox/event/', world.time, 9)).toEqual([]);
  });

  it('the inbox handles an event whose receiver crashed, after the lease', async () => {
    const { world, deliver } = share({ on: { default: () => new Promise(() => undefined) } });
    void deliver();
    await expect.poll(() => world.memory.size).toBe(2);
    const process = world.process();
    await process.deliver(published);
    await process.work();
    expect(process.ids).toEqual([]);
    world.time += 10_000;
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });

  it.each<[StoreFault, string]>([
    ['crash before', '/published'],
    ['crash before', '/evt_1'],
    ['lost before', '/published'],
    ['lost before', '/evt_1'],
  ])('catchUp adds no event of a post whose receiver handled it: %s the write of %s', async (fault, key) => {
    const world = new InboxWorld();
    const store = new ProcessStore(world.memory);
    store.fail('swap', fault, new RegExp(`^receiver/.*${key} `));
    const { receiver, handled } = setUp({ store, now: () => world.time, toleranceSeconds: false });
    const body = JSON.stringify(published);
    const request = { method: 'POST', body, headers: await signWebhook({ body, secret }) };
    await Promise.race([receiver.fetch(new Request('https://receiver.test/', request)), store.crashed]);
    expect(handled).toHaveLength(1);
    world.time += 3_600_000;
    const other = setUp({ store: world.memory, now: () => world.time, toleranceSeconds: false });
    expect((await other.receiver.fetch(new Request('https://receiver.test/', request))).status).toBe(200);
    const process = world.process();
    expect(await catchUp(process)).toEqual({ recovered: 0 });
    await process.work();
    expect(process.ids).toEqual([]);
  });

  it('while the inbox handles an event, the receiver refuses its repeat; then it acknowledges it', async () => {
    const running = newGate();
    const { world, deliver, handled } = share();
    const process = world.process({ on: { default: () => running.opened } });
    await process.deliver(published);
    const work = process.work();
    await expect.poll(async () => (await world.memory.get('inbox/event/evt_1'))?.data).toContain('"owner"');
    expect(await deliver()).toBe(503);
    running.open();
    await work;
    expect(await deliver()).toBe(200);
    expect(handled).toEqual([]);
  });

  it('a dead event that the receiver handled later is not listed as dead', async () => {
    const { world, deliver, handled } = share();
    const process = world.process({ maxAttempts: 1, on: { default: () => Promise.reject(new Error('boom')) } });
    await process.deliver(published);
    await process.work();
    expect(await process.dead()).toHaveLength(1);
    expect(await deliver()).toBe(200);
    expect([handled.length, await process.dead()]).toEqual([1, []]);
    await expect(process.inbox.replay('evt_1')).rejects.toThrow('this event was handled');
  });

  it('an event that a receiver of 0.2.0 handled is recognised by its ID', async () => {
    const { world, deliver } = share();
    await deliver();
    for (const { key, version } of await world.memory.scan('receiver/', undefined, 9)) {
      const isEvent = key.endsWith('/evt_1');
      const data = JSON.stringify({ v: 1, state: 'done', until: world.time + 60_000 });
      await world.memory.swap(key, version, isEvent ? data : null, world.time + 60_000);
    }
    const process = world.process();
    await process.deliver(published);
    await process.work();
    expect(process.ids).toEqual([]);
  });

  it('recognises events during a rotation of the secret', async () => {
    const { world, deliver } = share({ secret: ['whsec_next', secret] });
    await deliver(published, 'whsec_next');
    const process = world.process();
    await process.deliver(published);
    await process.work();
    expect(process.ids).toEqual([]);
  });
});

describe('a receiver and an inbox with different secrets on one store', () => {
  it('each handle every event, and every state', async () => {
    const { world, deliver, handled } = share({ secret: 'whsec_other' });
    expect(await deliver(published, 'whsec_other')).toBe(200);
    const process = world.process();
    expect(await catchUp(process)).toEqual({ recovered: 1 });
    await process.work();
    await process.deliver({ ...published, id: 'evt_2' });
    await process.work();
    expect(await deliver({ ...published, id: 'evt_3' }, 'whsec_other')).toBe(200);
    expect([handled.length, process.ids.length]).toEqual([2, 1]);
  });
});
