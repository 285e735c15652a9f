/** The rate limits of pace.test.ts, with several sequences of random waits each. */
import { expect, it } from 'vitest';
import { create, randomOf, service } from './paced-service.js';

it.each([
  [5, 0],
  [5, 50],
  [20, 0],
  [20, 50],
  [100, 0],
  [100, 50],
])(
  'gets 200 at once through to %i a second, replies after %i ms, in 1.15 × the least time plus 1.5 s',
  async (perSecond, latencyMs) => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const it = service(perSecond, { latencyMs, random: randomOf(seed), lateMs: 2 });
      await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
      expect(new Set(it.made).size).toBe(200);
      expect(it.made).toHaveLength(200);
      const leastMs = (200 / perSecond - 1) * 1_000;
      expect(it.time.now).toBeLessThan(1.15 * leastMs + 1_500);
      expect(it.came.length - 200).toBeLessThanOrEqual(200 - perSecond + 10);
    }
  },
);

it.each([2, 5, 20, 100])('loses nothing, 8 at a time, to a service that takes %i a second', async (perSecond) => {
  let refused = 0;
  for (let seed = 1; seed <= 10; seed += 1) {
    const it = service(perSecond, { latencyMs: 2, random: randomOf(seed) });
    const bodies = Array.from({ length: 200 }, (_, index) => ({
      content: String(index),
      saveAsDraft: true as const,
    }));
    const statuses: string[] = [];
    const all = async () => {
      for await (const { status } of it.client.posts.createMany(bodies, { concurrency: 8 })) statuses.push(status);
    };
    await it.time.run(all());
    expect(
      statuses.filter((status) => status !== 'created'),
      `seed ${String(seed)}`,
    ).toEqual([]);
    expect(new Set(it.made).size).toBe(200);
    refused = Math.max(refused, it.came.length - 200);
  }
  expect(refused).toBeLessThan(30);
});
