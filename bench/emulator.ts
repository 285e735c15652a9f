import { SocialPublishing } from 'social-publishing';
import { createEmulator, type Emulator, type PostSeed } from 'social-publishing/emulator';
import { median, milliseconds } from './measure.js';
import { atMost, ms, type Row } from './table.js';

const many = 100_000;
const lists = 100;
const runs = 3;

/** Measures the emulator with a large amount of data. */
export async function benchEmulator(): Promise<Row[]> {
  const listing: number[] = [];
  const advancing: number[] = [];
  const few: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    listing.push(await listAll());
    few.push(await advanceAll(many / 10));
    advancing.push(await advanceAll(many));
  }
  const growth = median(advancing.map((taken, run) => taken / (few[run] ?? Number.NaN)));
  const tenth = `over 10,000 posts ${ms(median(few))}`;
  return [
    atMost(`emulator: ${String(lists)} lists over 100,000 posts`, median(listing), 1000, 'ms', 'client and emulator'),
    atMost('emulator: advance over 100,000 scheduled posts', median(advancing), 2000, 'ms', tenth),
    atMost('emulator: advance over 100,000 posts, compared with 10,000', growth, 12, '×', '10 × would be linear'),
  ];
}

/** Measures lists at different positions in all posts. */
async function listAll(): Promise<number> {
  const service = createEmulator();
  fill(service, many, () => ({ status: 'published' }));
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  return milliseconds(async () => {
    for (let list = 0; list < lists; list += 1) {
      const page = await client.posts.list({ limit: 20, offset: list * (many / lists) });
      if (page.items.length !== 20) throw new Error(`A list held ${String(page.items.length)} posts.`);
    }
  });
}

/** Measures one step of the clock that publishes all posts of a day, each at its own time. */
async function advanceAll(count: number): Promise<number> {
  const service = createEmulator();
  const now = service.clock.now();
  const apart = 86_400_000 / count;
  fill(service, count, (number) => ({ scheduledFor: new Date(now + (number + 1) * apart).toISOString() }));
  return milliseconds(() => service.clock.advance({ days: 2 }));
}

function fill(service: Emulator, count: number, fields: (number: number) => Partial<PostSeed>): void {
  const { id: accountId } = service.seed.integration({ platform: 'instagram' });
  for (let number = 0; number < count; number += 1) {
    service.seed.post({
      content: `post ${String(number)}`,
      platforms: [{ platform: 'instagram', accountId }],
      ...fields(number),
    });
  }
}
