/** The table of docs/durable.md: the result of a crash at each of eight points, compared with simpler methods. */
import { expect, it } from 'vitest';
import type { CrashPoint } from './crash-points.js';
import { lostReply, minute, World } from './world.js';

const points = [
  'before the mark',
  'after the mark',
  'not received',
  'reply lost',
  'reply read',
  'claimed',
  'noted',
  'while looking',
] as const;
type Point = (typeof points)[number];

/** The result of one crash: posts in the service, and whether the intent waits for an operator. */
interface Left {
  readonly posts: number;
  readonly isHeld: boolean;
}

const steps: Partial<Record<Point, CrashPoint>> = {
  'before the mark': 'mark',
  'after the mark': 'marked',
  'reply read': 'replied',
  claimed: 'claimed',
  noted: 'noted',
  'while looking': 'looking',
};

/** The publisher: it dies at the point, and another process asks for the same again. */
async function ours(point: Point): Promise<Left> {
  const world = new World();
  const step = steps[point];
  if (point === 'while looking') {
    world.service.faults.add(lostReply);
  }
  if (step !== undefined) await world.dieAt(step, (publisher) => publisher.publish('k', world.later()));
  else {
    await new Promise<void>((resolve) => {
      const client = world.newClient({
        fetch: async (input, init) => {
          if (point === 'reply lost') await world.service.fetch(input, init);
          resolve();
          return new Promise<never>(() => {});
        },
      });
      void world.process({ client }).publish('k', world.later());
    });
  }
  await world.pass(2 * minute);
  const again = await world.process().publish('k', world.later());
  return { posts: world.posts.length, isHeld: again.state === 'in_doubt' };
}

/** A job that runs again until it is recorded as done; with `mark`, a started job waits for an operator. */
async function naive(point: Point, mark: boolean): Promise<Left> {
  const world = new World();
  const memory = { isMarked: false, isNoted: false };
  let isHeld = false;
  const run = async (dieAt?: Point) => {
    const isDead = (at: Point) => at === dieAt;
    if (memory.isNoted) return;
    if (mark && memory.isMarked) {
      isHeld = true;
      return;
    }
    if (isDead('before the mark')) return;
    memory.isMarked = true;
    if (isDead('after the mark') || isDead('not received')) return;
    await world.client.posts.create(world.later());
    if (isDead('reply lost') || isDead('reply read') || isDead('claimed')) return;
    memory.isNoted = true;
  };
  await run(point);
  await run();
  return { posts: world.posts.length, isHeld };
}

async function count(way: (point: Point) => Promise<Left>) {
  const left = await Promise.all(points.map(way));
  return {
    doubled: left.filter(({ posts }) => posts > 1).length,
    held: left.filter(({ isHeld }) => isHeld).length,
    heldWithPost: left.filter(({ isHeld, posts }) => isHeld && posts > 0).length,
    lost: left.filter(({ isHeld, posts }) => !isHeld && posts === 0).length,
  };
}

it('at eight crash points: nothing doubled, nothing lost, and a held intent was never sent', async () => {
  expect({
    resend: await count((point) => naive(point, false)),
    'mark and hold': await count((point) => naive(point, true)),
    'mark and look': await count(ours),
  }).toEqual({
    resend: { doubled: 3, held: 0, heldWithPost: 0, lost: 0 },
    'mark and hold': { doubled: 0, held: 5, heldWithPost: 3, lost: 0 },
    'mark and look': { doubled: 0, held: 2, heldWithPost: 0, lost: 0 },
  });
});
