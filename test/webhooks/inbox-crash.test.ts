import { describe, expect, it } from 'vitest';
import { newGate } from '../support/gate.js';
import { setUpService } from './inbox-service.js';
import { delivered, InboxWorld, type InboxProcess, type StoreFault } from './inbox-world.js';
import { published } from './verify-suite.js';

/**
 * The points at which a process can end while it handles an event: the call of the store, and the number of completed
 * handlers.
 */
const steps: readonly (readonly [name: string, method: 'get' | 'insert' | 'swap', key: RegExp])[] = [
  ['the look at the event', 'get', /^inbox\/event/],
  ['the claim of the state of the post', 'insert', /^inbox\/state/],
  ['the lease', 'swap', /"owner"/],
  ['the note that it was handled', 'swap', /"state":"done"/],
];
const crashes = ['crash before', 'crash after'] as const satisfies readonly StoreFault[];
const losses = ['lost before', 'lost after'] as const satisfies readonly StoreFault[];

/** Works in two processes until nothing is due any more, an hour of leases and retries later. */
async function workOn(...processes: InboxProcess[]): Promise<void> {
  for (let hours = 0; hours < 4; hours += 1) {
    await Promise.all(processes.map((process) => process.work()));
    for (const { world } of processes.slice(0, 1)) world.time += 3_600_000;
  }
}

describe('an inbox whose process ends', () => {
  for (const [name, method, key] of steps) {
    it.each(crashes)(`at ${name} (%s): another process handles the event, and completes it once`, async (fault) => {
      const world = new InboxWorld();
      const [first, second] = [world.process(), world.process()];
      await first.deliver(published);
      first.store.fail(method, fault, key);
      await first.work();
      expect(first.store.isCrashed).toBe(true);
      await workOn(second);
      // Only between the handler's end and the note of it can anybody not know that it was handled.
      const isHandledTwice = name.startsWith('the note') && fault === 'crash before';
      expect(first.handled.length + second.handled.length).toBe(isHandledTwice ? 2 : 1);
      expect(await world.memory.due('inbox/event/', world.time, 9)).toEqual([]);
      expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
    });
  }

  it('in the handler: not before the lease is over, and then in another process', async () => {
    const world = new InboxWorld();
    const first: InboxProcess = world.process({ on: { default: () => first.store.crash() }, maxAttempts: 1 });
    await first.deliver(published);
    await first.work();
    const second = world.process({ maxAttempts: 1 });
    world.time += 59_999;
    await second.work();
    expect(second.ids).toEqual([]);
    world.time += 1;
    await second.work();
    expect(second.ids).toEqual(['evt_1']);
  });

  it('in the handler again and again: the event is dead after ten, and can be replayed', async () => {
    const world = new InboxWorld();
    await world.process().deliver(published);
    for (let i = 0; i < 10; i += 1) {
      const process: InboxProcess = world.process({ on: { default: () => process.store.crash() } });
      await process.work();
      expect(process.store.isCrashed).toBe(true);
      world.time += 60_000;
    }
    const last = world.process();
    await last.work();
    expect([last.ids, last.deadEvents.length]).toEqual([[], 1]);
    await last.inbox.replay('evt_1');
    await last.work();
    expect(last.ids).toEqual(['evt_1']);
  });

  it.each([
    ['insert', 'crash before'],
    ['insert', 'crash after'],
  ] as const)('at the write of a delivery (%s, %s): it is not acknowledged, and not lost', async (method, fault) => {
    const world = new InboxWorld();
    const [first, second] = [world.process(), world.process()];
    first.store.fail(method, fault);
    const answered = first.deliver(published).then(() => 'answered');
    expect(await Promise.race([answered, first.store.crashed])).toBeUndefined();
    expect(await second.deliver(published)).toBe(200);
    await second.work();
    expect(second.ids).toEqual(['evt_1']);
  });

  it.each(crashes.flatMap((fault) => [0, 1, 2].map((skip) => [fault, skip] as const)))(
    'in catchUp (%s the write of post %i): the next one finds the rest',
    async (fault, skip) => {
      const { service, client, process, publish, listen, since } = await setUpService();
      const [first, second] = [process(), process()];
      listen(false);
      for (let i = 0; i < 3; i += 1) await publish(`post ${String(i)}`);
      await service.clock.advance({ hours: 48 });
      const ids = service.posts.map(({ postId }) => postId);
      first.store.fail('insert', fault, new RegExp(`recovered_${String(ids[skip])}`));
      await Promise.race([first.inbox.catchUp({ client, since }), first.store.crashed]);
      expect(first.store.isCrashed).toBe(true);
      await second.inbox.catchUp({ client, since });
      await second.work();
      expect(second.ids.sort()).toEqual(ids.map((id) => `recovered_${id}_published`).sort());
    },
  );

  it.each(crashes.flatMap((fault) => (['insert', 'swap'] as const).map((method) => [fault, method] as const)))(
    'while an event dies (%s, %s): it is dead once, and shown',
    async (fault, method) => {
      const world = new InboxWorld();
      const on = { default: () => Promise.reject(new Error('boom')) };
      const [first, second] = [world.process({ on, maxAttempts: 1 }), world.process({ on, maxAttempts: 1 })];
      await first.deliver(published);
      first.store.fail(method, fault, method === 'insert' ? /^inbox\/dead/ : /"state":"dead"/);
      await first.work();
      world.time += 60_000;
      await second.work();
      expect((await second.dead()).map(({ id }) => id)).toEqual(['evt_1']);
      expect(await world.isDue()).toBe(false);
    },
  );
});

describe('an inbox whose store loses calls', () => {
  for (const [name, method, key] of steps) {
    it.each(losses)(`at ${name} (%s): the event is handled once`, async (fault) => {
      const { world, process } = await delivered();
      process.store.fail(method, fault, key);
      await process.work();
      world.time += 60_000;
      await process.work();
      expect(process.ids).toEqual(['evt_1']);
      expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
      expect(process.errors.length).toBeLessThanOrEqual(1);
    });
  }

  it('continues when a lost store is back, and reports it once', async () => {
    const { process } = await delivered();
    for (let i = 0; i < 20; i += 1) process.store.fail('due', 'lost before');
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
    expect(process.errors.map(({ error }) => error)).toEqual([new Error('The store is gone')]);
  });

  it('records a handled event when its store is back, and does not handle it again', async () => {
    const world = new InboxWorld();
    const [process, other] = [world.process(), world.process()];
    await process.deliver(published);
    for (let i = 0; i < 20; i += 1) process.store.fail('swap', 'lost before', /"state":"done"/);
    await process.work();
    await other.work();
    expect([process.ids, other.ids]).toEqual([['evt_1'], []]);
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });

  it('gives up that record at a stop when the lease is over', async () => {
    const { world, process } = await delivered();
    for (let i = 0; i < 10_000; i += 1) process.store.fail('swap', 'lost before', /"state":"done"/);
    const worker = process.inbox.start({ pollMs: 1 });
    while (process.ids.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    world.time += 60_000;
    await worker.stop();
    const other = world.process();
    await other.work();
    expect(other.ids).toEqual(['evt_1']);
  });

  it('reports once that an event is dead, although its record was lost', async () => {
    const process = new InboxWorld().process({
      on: { default: () => Promise.reject(new Error('boom')) },
      maxAttempts: 1,
    });
    await process.deliver(published);
    process.store.fail('swap', 'lost after', /"state":"dead"/);
    await process.work();
    expect(process.deadEvents).toHaveLength(1);
    expect(await process.dead()).toHaveLength(1);
  });
});

describe('an inbox whose lease ends before its handler starts', () => {
  it.each([
    ['the reply to the lease', 'swap', /"owner"/],
    ['the search for a claim of a receiver', 'get', /^receiver/],
  ] as const)('leaves an event that another process handled meanwhile (%s is late)', async (_, method, key) => {
    const world = new InboxWorld();
    const [first, second] = [world.process(), world.process()];
    await first.deliver(published);
    first.store.delay(method, key, async () => {
      world.time += 60_000;
      await second.work();
    });
    await first.work();
    expect([first.ids, second.ids]).toEqual([[], ['evt_1']]);
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });

  it('leaves an event that another process is handling', async () => {
    const world = new InboxWorld();
    const [begun, ended] = [newGate(), newGate()];
    const first = world.process();
    const handler = async () => {
      begun.open();
      await ended.opened;
    };
    const other = world.process({ on: { default: handler } });
    await first.deliver(published);
    first.store.delay('swap', /"owner"/, async () => {
      world.time += 60_000;
      other.inbox.start({ pollMs: 1 });
      await begun.opened;
    });
    await first.work();
    ended.open();
    expect(first.ids).toEqual([]);
  });

  it('handles the event again if no other process took it, which counts as neither failed nor lost', async () => {
    const { world, process } = await delivered();
    const late = async () => {
      world.time += 60_000;
      await Promise.resolve();
    };
    for (let i = 0; i < 12; i += 1) process.store.delay('swap', /"owner"/, late);
    await process.work();
    expect([process.ids, process.deadEvents]).toEqual([['evt_1'], []]);
    expect(String(process.errors[0]?.error)).toContain('increase leaseMs');
  });
});

describe('an inbox whose handler outlasts its lease', () => {
  /** A handler that is held, and what ends it. */
  function held() {
    const [begun, ended] = [newGate(), newGate()];
    let failure: Error | undefined;
    const handler = async () => {
      begun.open();
      await ended.opened;
      if (failure !== undefined) throw failure;
    };
    const end = (error?: Error) => {
      failure = error;
      ended.open();
    };
    return { handler, isBegun: begun.opened, end };
  }

  /** A worker whose handler has begun, and whose lease is over. */
  async function outlasting(first: InboxProcess, isBegun: Promise<void>) {
    await first.deliver(published);
    const worker = first.inbox.start({ pollMs: 1 });
    await isBegun;
    first.world.time += 120_000;
    return worker;
  }

  it('is not called again in its own process, but may be in another; the first one completes the event', async () => {
    const world = new InboxWorld();
    const slow = held();
    const first = world.process({ on: { default: slow.handler } });
    const worker = await outlasting(first, slow.isBegun);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = world.process();
    await second.work();
    expect(second.ids).toEqual(['evt_1']);
    slow.end(new Error('too late'));
    await worker.stop();
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });

  it('does not make the event dead with its last attempt if another process has completed it', async () => {
    const world = new InboxWorld();
    const slow = held();
    const first = world.process({ on: { default: slow.handler }, maxAttempts: 1 });
    const worker = await outlasting(first, slow.isBegun);
    await world.process({ maxAttempts: 2 }).work();
    slow.end(new Error('too late'));
    await worker.stop();
    expect(first.deadEvents).toEqual([]);
    expect(await first.dead()).toEqual([]);
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });

  it('does not make the event dead with its last attempt while another process handles it', async () => {
    const world = new InboxWorld();
    const [slow, slower] = [held(), held()];
    const first = world.process({ on: { default: slow.handler }, maxAttempts: 1 });
    const second = world.process({ on: { default: slower.handler }, maxAttempts: 2 });
    const worker = await outlasting(first, slow.isBegun);
    const other = second.inbox.start({ pollMs: 1 });
    await slower.isBegun;
    slow.end(new Error('too late'));
    await worker.stop();
    expect(first.deadEvents).toEqual([]);
    slower.end();
    await other.stop();
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });

  it('completes it though another has taken it over', async () => {
    const world = new InboxWorld();
    const [slow, slower] = [held(), held()];
    const [first, second] = [slow, slower].map(({ handler }) => world.process({ on: { default: handler } }));
    if (first === undefined || second === undefined) return expect.unreachable();
    const worker = await outlasting(first, slow.isBegun);
    const other = second.inbox.start({ pollMs: 1 });
    await slower.isBegun;
    slow.end();
    await worker.stop();
    slower.end(new Error('boom'));
    await other.stop();
    expect(JSON.parse((await world.memory.get('inbox/event/evt_1'))?.data ?? '')).toMatchObject({ state: 'done' });
  });
});
