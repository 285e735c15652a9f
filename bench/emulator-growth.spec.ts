import { describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../src/emulator/index.js';
import { raw, start } from '../test/emulator/world.js';

// Tests how costs grow, not their size: machines and their load differ.

function filled(count: number): Emulator {
  const service = createEmulator({ now: () => start });
  const { id: accountId } = service.seed.integration({ platform: 'instagram' });
  for (let index = 0; index < count; index += 1) {
    const second = 1 + ((index * 7919) % count);
    service.seed.post({
      content: `Post ${String(index)}`,
      scheduledFor: new Date(start + second * 1000).toISOString(),
      platforms: [{ platform: 'instagram', accountId }],
    });
  }
  return service;
}

/** The time that this process has used: what else the machine does counts little. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The quickest of some tries: garbage of earlier work only ever adds to it. */
async function quickest(tries: number, task: () => unknown): Promise<number> {
  let best = Infinity;
  for (let index = 0; index < tries; index += 1) {
    const begun = usedMs();
    await task();
    best = Math.min(best, usedMs() - begun);
  }
  return best;
}

const hours = (count: number) => new Date(start + count * 3_600_000).toISOString();

const few = filled(1_000);
const many = filled(10_000);

describe('with ten times as many posts', { retry: 4 }, () => {
  it.each([
    { query: 'limit=20&offset=500', times: 3 },
    { query: 'createdAfter=2026-03-02T09:00:00Z', times: 3 },
    // A filter reads every post.
    { query: 'status=scheduled', times: 10 },
    { query: 'platform=instagram', times: 10 },
  ])('a list by $query takes at most $times times as long', async ({ query, times }) => {
    const list = (service: Emulator) => () => raw(service, `GET /v1/posts/?${query}`);
    await quickest(20, list(few));
    // In turns, so that other work of the machine slows down both.
    let [ofFew, ofMany] = [Infinity, Infinity];
    for (let round = 0; round < 20; round += 1) {
      ofFew = Math.min(ofFew, await quickest(2, list(few)));
      ofMany = Math.min(ofMany, await quickest(2, list(many)));
    }
    expect(ofMany).toBeLessThan(ofFew * times + 1);
  });

  it('a snapshot and the way back take less than a millisecond', async () => {
    expect(
      await quickest(20, () => {
        many.restore(many.snapshot());
      }),
    ).toBeLessThan(1);
  });

  it('publishing all of them takes no more than their number says', async () => {
    const publishAll = (service: Emulator, seconds: number) => {
      const snapshot = service.snapshot();
      return quickest(3, async () => {
        service.restore(snapshot);
        await service.clock.advance({ seconds });
      });
    };
    const before = await publishAll(few, 1_001);
    expect(await publishAll(many, 10_001)).toBeLessThan(before * 30);
    const { body } = await raw(many, 'GET /v1/posts/?status=published&limit=1');
    expect(body).toMatchObject({ total: 10_000 });
  });

  it('moving the posts of one instant to another takes time in proportion to their number, also newest first', async () => {
    const moveAll = async (count: number) => {
      const service = createEmulator({ now: () => start });
      for (let index = 0; index < count; index += 1) service.seed.post({ scheduledFor: hours(1) });
      const ids = service.posts.map(({ postId }) => postId).reverse();
      const begun = usedMs();
      for (const id of ids) await raw(service, `PUT /v1/posts/scheduled/${id}`, { scheduledFor: hours(2) });
      const took = usedMs() - begun;
      expect(service.clock.nextDue).toBe(start + 7_200_000);
      return took;
    };
    await moveAll(100);
    const before = await moveAll(300);
    expect(await moveAll(3_000)).toBeLessThan(before * 30);
  });
});
