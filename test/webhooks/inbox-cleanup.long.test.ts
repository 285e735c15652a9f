import { describe, expect, it } from 'vitest';
import { InboxWorld } from './inbox-world.js';
import { published } from './verify-suite.js';

/** A world with the old records of ten minutes at 1,000 final events per minute. */
async function oldWorld() {
  const world = new InboxWorld();
  const old = world.time - 1;
  for (let i = 0; i < 10_000; i += 1) {
    await world.memory.insert(
      `inbox/event/old_${String(i)}`,
      JSON.stringify({ v: 1, state: 'done', wakeAt: old }),
      old,
    );
    await world.memory.insert(
      `inbox/state/post_${String(i)}/published`,
      JSON.stringify({ v: 1, id: `old_${String(i)}` }),
      old,
    );
  }
  return world;
}

describe('an inbox with many old records', () => {
  it(
    'removes the records of ten minutes at 1,000 final events per minute, while no time passes',
    { timeout: 120_000 },
    async () => {
      const world = await oldWorld();
      const process = world.process({ keepMs: 3_600_000 });
      const worker = process.inbox.start({ pollMs: 10 });
      await expect.poll(() => world.memory.size, { timeout: 100_000, interval: 100 }).toBe(0);
      await worker.stop();
    },
  );

  it('removes them although all handlers are busy', { timeout: 120_000 }, async () => {
    const world = new InboxWorld();
    const first = world.process();
    for (let i = 0; i < 250; i += 1) await first.deliver({ ...published, id: `old_${String(i)}` });
    await first.work({ concurrency: 50 });
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (finish = resolve));
    const process = world.process({ on: { default: () => running } });
    const worker = process.inbox.start({ pollMs: 1, concurrency: 1 });
    await process.deliver(published);
    await expect.poll(async () => (await world.memory.get('inbox/event/evt_1'))?.data).toContain('"owner"');
    world.time += 30 * 24 * 3_600_000;
    await expect
      .poll(async () => (await world.memory.scan('inbox/event/old', undefined, 9)).length, { timeout: 60_000 })
      .toBe(0);
    finish();
    await worker.stop();
  });
});
