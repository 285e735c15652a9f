import { describe, expect, it } from 'vitest';
import { createWebhookInbox } from '../../src/webhooks/index.js';
import { InboxWorld, type InboxProcess } from './inbox-world.js';
import { published, secret } from './verify-suite.js';
import { storeCalling } from '../support/stores.js';

const hourMs = 3_600_000;
const keepMs = 30 * 24 * hourMs;

const eventOf = (id: string) => ({ ...published, id, data: { ...published.data, post: { id: `post_${id}` } } });

/** Delivers events to an inbox, and handles them. */
async function handle(process: InboxProcess, count: number, name: string): Promise<void> {
  for (let i = 0; i < count; i += 1) await process.deliver(eventOf(`${name}_${String(i)}`));
  await process.work({ concurrency: 50 });
}

describe('an inbox that handled many events', () => {
  /** What a worker reads of the store in its first round, and in the round an hour later. */
  async function readsOfWorker(handled: number) {
    const world = new InboxWorld();
    const broken = world.process({
      on: { default: (event) => (event.id.startsWith('old') ? undefined : Promise.reject(new Error('boom'))) },
      backoff: () => 3 * hourMs,
      keepMs,
    });
    await handle(broken, handled, 'old');
    await handle(broken, 5, 'waiting');
    const calls: string[] = [];
    const counted = storeCalling(world.memory, (call) => calls.push(call));
    const inbox = createWebhookInbox({ secret, store: counted, now: () => world.time, keepMs, on: {} });
    const worker = inbox.start({ pollMs: 1 });
    const rounds = async (count: number) => {
      const before = calls.length;
      const searches = () => calls.slice(before).filter((call) => call === 'due inbox/event/').length;
      await expect.poll(searches, { timeout: 60_000 }).toBeGreaterThan(2 * count);
    };
    await rounds(5);
    world.time += hourMs;
    await rounds(5);
    await worker.stop();
    const others = calls.filter((call) => !call.startsWith('due '));
    const waiting = [];
    for await (const { event } of inbox.list({ state: 'waiting' })) waiting.push(event?.id);
    return { others: others.sort(), waiting: waiting.sort() };
  }

  it('reads only waiting events, in the hourly search too, whatever the number of handled ones', async () => {
    const [few, many] = [await readsOfWorker(3), await readsOfWorker(700)];
    const five = [0, 1, 2, 3, 4].map((i) => `waiting_${String(i)}`);
    expect(many.others).toEqual(five.flatMap((id) => [`get inbox/event/${id}`, `get inbox/event/${id}`]));
    expect([few.others, few.waiting, many.waiting]).toEqual([many.others, five, five]);
  });

  it('handles a new event after a page of removals, however many records are to be removed', async () => {
    const world = new InboxWorld();
    await handle(world.process({ keepMs }), 1000, 'old');
    world.time += keepMs + 1;
    let handledAt = 0;
    const calls: string[] = [];
    const counted = storeCalling(world.memory, (call) => calls.push(call));
    // Another process receives an event when the clean-up has begun.
    const get = async (key: string) => {
      if (calls.length > 50) await (delivered ??= world.process().deliver(eventOf('new')));
      return counted.get(key);
    };
    let delivered: Promise<number> | undefined;
    const inbox = createWebhookInbox({
      secret,
      store: { ...counted, get },
      keepMs,
      now: () => world.time,
      on: { default: () => (handledAt = calls.length) },
    });
    const worker = inbox.start({ pollMs: 1 });
    await expect.poll(() => handledAt, { timeout: 60_000 }).toBeGreaterThan(0);
    await worker.stop();
    // A page: 100 events with 2 calls, 100 claims of states with 3. The next page runs beside the handler.
    expect(handledAt).toBeLessThan(1500); // without the limit of a page: 5,000
  });

  it('lets the other work of its process run between two pages', async () => {
    const world = new InboxWorld();
    await handle(world.process({ keepMs }), 1000, 'old');
    world.time += keepMs;
    const sizes = new Set<number>();
    const tick = () => {
      sizes.add(world.memory.size);
      if (world.memory.size > 0) setTimeout(tick, 0);
    };
    const worker = world.process({ keepMs }).inbox.start({ pollMs: 1 });
    tick();
    await expect.poll(() => world.memory.size, { timeout: 60_000 }).toBe(0);
    await worker.stop();
    expect(sizes.size).toBeGreaterThan(5);
  });

  it('removes the events and the claims of states together', async () => {
    const world = new InboxWorld();
    await handle(world.process({ keepMs }), 300, 'old');
    world.time += keepMs;
    const worker = world.process({ keepMs }).inbox.start({ pollMs: 1 });
    await expect.poll(() => world.memory.size, { timeout: 60_000 }).toBe(0);
    await worker.stop();
  });

  it('removes old records while many events wait', async () => {
    const world = new InboxWorld();
    await handle(world.process({ keepMs }), 150, 'old');
    world.time += keepMs;
    const broken = world.process({
      keepMs,
      on: { default: () => Promise.reject(new Error('boom')) },
      backoff: () => hourMs,
    });
    await handle(broken, 250, 'waiting');
    await expect.poll(() => broken.errors.length, { timeout: 60_000 }).toBe(250);
    const worker = broken.inbox.start({ pollMs: 1 });
    await expect
      .poll(async () => (await world.memory.scan('inbox/event/old', undefined, 9)).length, { timeout: 60_000 })
      .toBe(0);
    await worker.stop();
    expect((await world.memory.scan('inbox/event/waiting', undefined, 1000)).length).toBe(250);
  });

  it('keeps a handled event of release 0.2.0 for its time, and then removes it', async () => {
    const world = new InboxWorld();
    const wakeAt = world.time + hourMs;
    await world.memory.insert('inbox/event/evt_1', JSON.stringify({ v: 1, state: 'done', wakeAt }), wakeAt);
    const process = world.process({ keepMs });
    const worker = process.inbox.start({ pollMs: 1 });
    // The worker has moved it behind the waiting events.
    await expect.poll(() => world.memory.due('inbox/event/', wakeAt, 1), { timeout: 60_000 }).toEqual([]);
    expect(await process.deliver(published)).toBe(200);
    await process.deliver(eventOf('evt_2'));
    await expect.poll(() => process.ids, { timeout: 60_000 }).toEqual(['evt_2']);
    world.time = wakeAt;
    await expect.poll(() => world.memory.get('inbox/event/evt_1'), { timeout: 60_000 }).toBe(undefined);
    await worker.stop();
  });
});
