import { createEmulator } from '../src/emulator/index.js';
import { SocialPublishing } from '../src/index.js';

const count = 10_000;
const limitMs = 1000;

const runs = 5;

/** Fills an emulator with 10,000 posts and walks over all of them with the real client, page by page. */
export async function benchEmulator(): Promise<void> {
  const all: { seeded: number; walked: number }[] = [];
  for (let index = 0; index < runs; index += 1) all.push(await run());
  // The best run: what else the machine does can only slow it.
  const best = all.reduce((a, b) => (a.seeded + a.walked <= b.seeded + b.walked ? a : b));
  const line = (what: string, ms: number) => {
    console.log(`${what.padEnd(44)} ${ms.toFixed(0).padStart(7)} ms`);
  };
  line(`emulator: seed ${String(count)} posts`, best.seeded);
  line('emulator: walk over them, 100 a page', best.walked);
  const total = best.seeded + best.walked;
  if (total > limitMs) throw new Error(`Both took ${total.toFixed(0)} ms, more than ${String(limitMs)} ms.`);
}

async function run(): Promise<{ seeded: number; walked: number }> {
  const service = createEmulator();
  const { id: accountId } = service.seed.integration({ platform: 'instagram' });
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  const seeded = await time(() => {
    for (let number = 0; number < count; number += 1) {
      service.seed.post({
        content: `post ${String(number)}`,
        status: 'published',
        platforms: [{ platform: 'instagram', accountId }],
      });
    }
  });
  const walked = await time(async () => {
    let seen = 0;
    for await (const post of client.posts.list({ limit: 100 })) if (post.postId !== '') seen += 1;
    if (seen !== count) throw new Error(`The walk saw ${String(seen)} of ${String(count)} posts.`);
  });
  return { seeded, walked };
}

async function time(task: () => unknown): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}
