import { describe, expect, it } from 'vitest';
import { signWebhook } from '../../src/webhooks/index.js';
import { InboxWorld, type InboxProcess } from './inbox-world.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';

const monthMs = 30 * 24 * 3_600_000;
const hourMs = 3_600_000;

/** A worker of the process, until the condition holds. */
async function workUntil(process: InboxProcess, isDone: () => boolean): Promise<void> {
  const worker = process.inbox.start({ pollMs: 1 });
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
  await worker.stop();
}

describe('an inbox whose clock was a month ahead, and is right again', () => {
  /** A world in which the handler failed while the clock was ahead. */
  async function afterFailure() {
    const world = new InboxWorld();
    let isBroken = true;
    const process = world.process({
      on: {
        default: (event) => {
          if (isBroken) throw new Error('boom');
          process.handled.push(event);
        },
      },
    });
    world.time += monthMs;
    await process.deliver(published);
    await process.work();
    world.time -= monthMs;
    isBroken = false;
    return { world, process };
  }

  it('handles the event of a failed attempt', async () => {
    const { process } = await afterFailure();
    await workUntil(process, () => process.ids.length > 0);
    expect(process.ids).toEqual(['evt_1']);
  });

  it('finds it within an hour in a worker that runs all the time', async () => {
    const world = new InboxWorld();
    let isBroken = true;
    const handled: string[] = [];
    const process = world.process({
      on: { default: ({ id }) => (isBroken ? Promise.reject(new Error('boom')) : handled.push(id)) },
      backoff: () => hourMs,
    });
    const worker = process.inbox.start({ pollMs: 1 });
    await process.deliver({ ...published, id: 'evt_0' });
    await expect.poll(() => process.errors.length).toBe(1);
    // Another process, whose clock is ahead, receives and tries an event.
    const ahead = world.process({
      now: () => world.time + monthMs,
      on: { default: () => Promise.reject(new Error('boom')) },
    });
    const body = JSON.stringify(published);
    const headers = await signWebhook({ body, secret, timestamp: (world.time + monthMs) / 1000 });
    await ahead.inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }));
    await workUntil(ahead, () => ahead.errors.length >= 1);
    isBroken = false;
    world.time += hourMs;
    await expect.poll(() => handled.includes('evt_1'), { timeout: 60_000 }).toBe(true);
    await worker.stop();
  });

  it('handles an event that arrived while no worker ran', async () => {
    const world = new InboxWorld();
    const process = world.process();
    world.time += monthMs;
    await process.deliver(published);
    world.time -= monthMs;
    await workUntil(process, () => process.ids.length > 0);
    expect(process.ids).toEqual(['evt_1']);
  });

  it('takes over an event whose process ended in its handler', async () => {
    const world = new InboxWorld();
    const first: InboxProcess = world.process({ on: { default: () => first.store.crash() } });
    world.time += monthMs;
    await first.deliver(published);
    await first.work();
    world.time -= monthMs;
    const second = world.process();
    await workUntil(second, () => second.ids.length > 0);
    expect(second.ids).toEqual(['evt_1']);
  });

  it('replays the event for an operator, and lists it as due', async () => {
    const { world, process } = await afterFailure();
    for await (const { dueAt } of process.inbox.list()) expect(dueAt).toBe(new Date(world.time).toISOString());
    await process.inbox.replay('evt_1');
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });

  it('catchUp makes the event of a claimed state due', async () => {
    const { process } = await afterFailure();
    const post = { postId: published.data.post.id, status: 'published' };
    // eslint-disable-next-line @typescript-eslint/require-await -- a list is asynchronous
    const list = async function* () {
      yield post;
    };
    expect(await process.inbox.catchUp({ client: { posts: { list } }, since: new Date(0) })).toEqual({ recovered: 0 });
    expect(await process.world.isDue()).toBe(true);
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });

  it('does not take over a live lease, although the clock of its owner is a second ahead', async () => {
    const world = new InboxWorld();
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (finish = resolve));
    const first = world.process({ now: () => world.time + 1000, on: { default: () => running } });
    const second = world.process();
    await first.deliver(published);
    const worker = first.inbox.start({ pollMs: 1 });
    await expect.poll(async () => (await world.memory.get('inbox/event/evt_1'))?.data).toContain('"owner"');
    world.time += 30_000;
    const other = second.inbox.start({ pollMs: 1 });
    await expect.poll(() => second.store.calls).toContain('get inbox/event/evt_1');
    finish();
    await Promise.all([worker.stop(), other.stop()]);
    expect(second.ids).toEqual([]);
  });

  it('does not take over the lease of a process of 0.2.0, which keeps the fields of the write before', async () => {
    const world = new InboxWorld();
    const failing = world.process({ on: { default: () => Promise.reject(new Error('boom')) } });
    await failing.deliver(published);
    await failing.work();
    const item = (await world.memory.get('inbox/event/evt_1')) ?? expect.unreachable();
    const wakeAt = world.time + 60_000;
    const leased = { ...(JSON.parse(item.data) as object), owner: 'of 0.2.0', wakeAt };
    await world.memory.swap('inbox/event/evt_1', item.version, JSON.stringify(leased), wakeAt);
    const other = world.process();
    const worker = other.inbox.start({ pollMs: 1 });
    await expect.poll(() => other.store.calls).toContain('get inbox/event/evt_1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await worker.stop();
    expect(other.ids).toEqual([]);
    world.time = wakeAt;
    await other.work();
    expect(other.ids).toEqual(['evt_1']);
  });

  it('goes on removing old records', async () => {
    const world = new InboxWorld();
    const process = world.process();
    world.time += monthMs;
    const worker = process.inbox.start({ pollMs: 1 });
    await process.deliver(published);
    await expect.poll(() => process.ids.length).toBe(1);
    world.time -= monthMs;
    await world.memory.insert('inbox/state/old/published', JSON.stringify({ v: 1, id: 'gone' }), world.time - 1);
    await expect.poll(async () => world.memory.get('inbox/state/old/published'), { timeout: 60_000 }).toBe(undefined);
    await worker.stop();
  });
});

describe('a receiver whose clock was a month ahead, and is right again', () => {
  it('handles the next delivery of an event whose handler never ended', async () => {
    const world = new InboxWorld();
    const start = (handler: () => unknown) =>
      setUp({ store: world.memory, now: () => world.time, toleranceSeconds: false, on: { default: handler } }).receiver;
    const delivery = async () => {
      const body = JSON.stringify(published);
      return new Request('https://a.test/', { method: 'POST', body, headers: await signWebhook({ body, secret }) });
    };
    world.time += monthMs;
    void start(() => new Promise(() => undefined)).fetch(await delivery());
    await expect.poll(() => world.memory.size).toBeGreaterThan(0);
    world.time -= monthMs;
    let count = 0;
    expect((await start(() => (count += 1)).fetch(await delivery())).status).toBe(200);
    expect(count).toBe(1);
  });
});
