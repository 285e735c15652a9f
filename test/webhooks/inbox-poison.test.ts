import { describe, expect, it } from 'vitest';
import { InboxWorld, type InboxProcess } from './inbox-world.js';
import { published } from './verify-suite.js';

const ids = ['evt_a', 'evt_b', 'evt_poison', 'evt_c'];
const leaseMs = 60_000;

describe('an event that ends its process', () => {
  it('is dead after ten processes, and its neighbours are handled', { timeout: 120_000 }, async () => {
    const world = new InboxWorld();
    const handled: string[] = [];
    const dead: string[] = [];
    let crashes = 0;
    // As long as the poison runs, the others do too: they are lost with it if they run beside it.
    const start = (): InboxProcess => {
      const process: InboxProcess = world.process({
        leaseMs,
        on: {
          default: async ({ id }) => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            if (id === 'evt_poison') {
              crashes += 1;
              await process.store.crash();
            }
            await new Promise((resolve) => setTimeout(resolve, 20));
            if (process.store.isCrashed) await process.store.crash();
            handled.push(id);
          },
        },
        onDead: ({ id }) => dead.push(id),
      });
      return process;
    };
    const receiving = world.process();
    for (const id of ids)
      await receiving.deliver({ ...published, id, data: { ...published.data, post: { ...published.data.post, id } } });
    for (let i = 0; i < 12; i += 1) {
      await start().work({ concurrency: 4 });
      world.time += leaseMs;
    }
    expect([crashes, dead]).toEqual([10, ['evt_poison']]);
    expect(handled.sort()).toEqual(['evt_a', 'evt_b', 'evt_c']);
  });

  it('does not hold up other events for longer than the lease while it runs', { timeout: 120_000 }, async () => {
    const world = new InboxWorld();
    const first: InboxProcess = world.process({ leaseMs: 50, on: { default: () => first.store.crash() } });
    await first.deliver(published);
    await first.work();
    world.time += 50;
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (finish = resolve));
    const handled: string[] = [];
    const second = world.process({
      leaseMs: 50,
      on: { default: ({ id }) => (id === 'evt_1' ? running : handled.push(id)) },
    });
    const worker = second.inbox.start({ pollMs: 1 });
    await second.deliver({ ...published, id: 'evt_2' });
    await expect.poll(() => handled, { timeout: 60_000 }).toEqual(['evt_2']);
    finish();
    await worker.stop();
  });
});
