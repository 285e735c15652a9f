import { describe, expect, it } from 'vitest';
import {
  createWebhookReceiver,
  isStale,
  signWebhook,
  type InboxEvent,
  type KnownWebhookEvent,
} from '../../src/webhooks/index.js';
import { setUpService } from '../webhooks/inbox-service.js';
import { InboxWorld, type InboxProcess } from '../webhooks/inbox-world.js';
import { published, secret } from '../webhooks/verify-suite.js';

const days = 24 * 3_600_000;

describe('elsewhere, an event was handled twice', () => {
  it('here, once: the service delivers it twice, one after the other or at the same time', async () => {
    const { service, process, publish } = await setUpService();
    const [one, two] = [process(), process()];
    service.deliveryFaults.add({ kind: 'duplicate', times: 1 });
    await publish('first');
    await service.settled();
    service.deliveryFaults.clear();
    service.deliveryFaults.add({ kind: 'concurrent', times: 1 });
    await publish('second');
    await service.settled();
    await Promise.all([one.work(), two.work()]);
    const ids = [...one.ids, ...two.ids];
    expect(service.deliveries.length).toBeGreaterThan(ids.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('here, once: a slow handler does not make the service repeat the event', async () => {
    const world = new InboxWorld();
    let finish: () => void = () => undefined;
    const process = world.process({
      on: { default: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    // The reply does not wait for the handler.
    expect(await process.deliver(published)).toBe(200);
    const worker = process.inbox.start({ pollMs: 1 });
    await expect.poll(() => process.store.calls.some((call) => call.startsWith('swap'))).toBe(true);
    expect(await process.deliver(published)).toBe(200);
    finish();
    await worker.stop();
    expect((await world.memory.scan('inbox/event/', undefined, 9)).map(({ key }) => key)).toEqual([
      'inbox/event/evt_1',
    ]);
  });

  it('here, once: somebody replays a recorded request days later', async () => {
    const world = new InboxWorld();
    const process = world.process();
    const body = JSON.stringify(published);
    const headers = await signWebhook({
      body,
      secret,
      timestamp: world.time / 1_000,
    });
    const send = () => process.inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }));
    expect((await send()).status).toBe(200);
    await process.work();
    world.time += 2 * days;
    expect((await send()).status).not.toBe(200);
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
    expect(process.rejected.map(({ code }) => code)).toEqual(['timestamp_too_old']);
  });
});

describe('elsewhere, a second kind of receiver on the same store handled old events again', () => {
  it('here, an inbox leaves alone what a receiver has handled', async () => {
    const world = new InboxWorld();
    const received: string[] = [];
    const receiver = createWebhookReceiver({
      secret,
      store: world.memory,
      now: () => world.time,
      on: { default: ({ id }) => void received.push(String(id)) },
    });
    const body = JSON.stringify(published);
    const headers = await signWebhook({
      body,
      secret,
      timestamp: world.time / 1_000,
    });
    await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }));
    const process = world.process();
    await process.deliver(published);
    await process.work();
    expect([received, process.ids]).toEqual([['evt_1'], []]);
  });
});

describe('elsewhere, an event was lost', () => {
  it('here, it is handled by another process: the first one crashed in its handler', async () => {
    const world = new InboxWorld();
    const crashing = world.process({
      on: { default: () => crashing.store.crash() },
    });
    await crashing.deliver(published);
    await crashing.work();
    world.time += 60_000;
    const other = world.process();
    await other.work();
    expect(other.ids).toEqual(['evt_1']);
  });

  it('here, it is recovered: the receiver was down for days, and the service gave up', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    listen(false);
    await publish('while nobody listened');
    await service.clock.advance({ days: 3 });
    listen(true);
    expect(await one.inbox.catchUp({ client, since })).toEqual({
      recovered: 1,
    });
    await one.work();
    expect(one.handled).toMatchObject([{ type: 'post.published', recovered: true }]);
  });

  it('here, it stays listed as dead until an operator replays it: its handler failed on every attempt', async () => {
    const world = new InboxWorld();
    let isBroken = true;
    const handled: string[] = [];
    const process = world.process({
      maxAttempts: 1,
      on: {
        default: ({ id }: InboxEvent) => {
          if (isBroken) throw new Error('The customer table is locked');
          handled.push(id);
        },
      },
    });
    await process.deliver(published);
    await process.work();
    expect((await process.dead()).map(({ id }) => id)).toEqual(['evt_1']);
    isBroken = false;
    await process.inbox.replay('evt_1');
    await process.work();
    expect(handled).toEqual(['evt_1']);
  });

  it('here, it is not stranded: the clock was a month ahead when its handler failed, and was corrected', async () => {
    const world = new InboxWorld();
    let isBroken = true;
    const handled: string[] = [];
    const process = world.process({
      on: {
        default: ({ id }) => (isBroken ? Promise.reject(new Error('The database is down')) : handled.push(id)),
      },
    });
    world.time += 30 * days;
    await process.deliver(published);
    await process.work();
    world.time -= 30 * days;
    isBroken = false;
    const worker = process.inbox.start({ pollMs: 1 });
    await expect.poll(() => handled).toEqual(['evt_1']);
    await worker.stop();
  });

  it('here, its neighbours are handled: one event ended each process that handled it', async () => {
    const world = new InboxWorld();
    const handled: string[] = [];
    const dead: string[] = [];
    const start = () => {
      const process: InboxProcess = world.process({
        on: {
          default: async ({ id }) => {
            if (id === 'evt_poison') await process.store.crash();
            // The handlers of a process end with it.
            await new Promise((resolve) => setTimeout(resolve, 20));
            if (process.store.isCrashed) await process.store.crash();
            handled.push(id);
          },
        },
        onDead: ({ id }) => dead.push(id),
      });
      return process;
    };
    for (const id of ['evt_1', 'evt_poison', 'evt_2', 'evt_3'])
      await world.process().deliver({
        ...published,
        id,
        data: { ...published.data, post: { id } },
      });
    for (let restart = 0; restart < 12; restart += 1) {
      await start().work({ concurrency: 4 });
      world.time += 60_000;
    }
    expect(handled.sort()).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(dead).toEqual(['evt_poison']);
  });

  it('here, no acknowledged event is lost: the store was full when the event came', async () => {
    const process = new InboxWorld().process();
    process.store.fail('insert', 'lost before');
    // The service repeats what is not acknowledged.
    expect(await process.deliver(published)).toBe(500);
    expect(await process.deliver(published)).toBe(200);
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });
});

describe('elsewhere, a forged or unreadable event was handled', () => {
  it.each([
    ['its body was changed on the way', { ...published, type: 'post.failed' }],
    ['a body parser wrote the JSON again', JSON.stringify(published, null, 2)],
  ])('here, it is refused: %s', async (_, body) => {
    const process = new InboxWorld().process();
    const headers = await signWebhook({
      body: JSON.stringify(published),
      secret,
      timestamp: process.world.time / 1_000,
    });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request('https://inbox.test/', {
      method: 'POST',
      body: text,
      headers,
    });
    expect((await process.inbox.fetch(request)).status).toBe(401);
    await process.work();
    expect(process.ids).toEqual([]);
    expect(process.rejected.map(({ code }) => code)).toEqual(['signature_mismatch']);
  });

  it('here, deliveries of both secrets pass while a secret is rotated', async () => {
    const world = new InboxWorld();
    const process = world.process({ secret: [secret, 'whsec_the_next_one'] });
    for (const [id, signedWith] of [
      ['evt_1', secret],
      ['evt_2', 'whsec_the_next_one'],
    ] as const) {
      const body = JSON.stringify({ ...published, id });
      const headers = await signWebhook({
        body,
        secret: signedWith,
        timestamp: world.time / 1_000,
      });
      const request = new Request('https://inbox.test/', {
        method: 'POST',
        body,
        headers,
      });
      expect((await process.inbox.fetch(request)).status).toBe(200);
    }
  });
});

describe('elsewhere, events in the wrong order set a published post back to scheduled', () => {
  it('here, a handler drops the event that is older than what it has', async () => {
    const { service, process, schedule } = await setUpService();
    let latest: KnownWebhookEvent | undefined;
    const one = process({
      on: {
        default: (event) => {
          if (event.known && (latest === undefined || !isStale(latest, event))) latest = event;
        },
      },
    });
    service.deliveryFaults.add({
      kind: 'reorder',
      eventType: 'post.scheduled',
      times: 1,
    });
    await schedule('Later', 1);
    await service.clock.advance({ hours: 2 });
    await one.work();
    expect(service.deliveries.map(({ eventType }) => eventType)).toEqual(['post.published', 'post.scheduled']);
    expect(latest?.type).toBe('post.published');
  });
});
