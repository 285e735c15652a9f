import { Worker } from 'node:worker_threads';
import ky from 'ky';
import { SocialPublishing } from 'social-publishing';
import { listOf } from './bodies.js';
import { interleave, median, ratio, type Subject, type Times } from './measure.js';
import type { Peer } from './peers.js';
import { atMostTimes, ms, type Row } from './table.js';

const sizes = [1, 20, 100] as const;
const pages = 100;
const perPage = 20;
const delayMs = 20;
const atOnce = 64;
const concurrency = 8;
/**
 * All subjects share the code of `fetch`, which is compiled early; the code that each adds runs only in its own turns.
 */
const warmUpRounds = 200;

const headers = { 'x-access-key': 'bench-key', accept: 'application/json' };
const own = 'social-publishing';

/** Compares reading with ky: the same bytes, from a server on loopback in a separate thread. */
export async function benchReading(peers: readonly Peer[]): Promise<{ rows: Row[]; peerRows: string[][] }> {
  const bodies = Object.fromEntries(sizes.map((size) => [size, listOf(size)]));
  const offsets = Array.from({ length: pages }, (_, page) => page * perPage);
  const far = Object.fromEntries(offsets.map((offset) => [offset, listOf(perPage, offset, pages * perPage)]));
  const worker = new Worker(new URL('server.mjs', import.meta.url), { workerData: { bodies, pages: far, delayMs } });
  try {
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    const url = `http://127.0.0.1:${String(port)}`;
    const found: Times[] = [];
    for (const size of sizes) {
      const times = await interleave([...subjects(url, size), ...peers.map((peer) => peer.connect(url, size))], {
        times: size === 100 ? 8 : 20,
        warmUp: warmUpRounds,
      });
      found.push(times);
    }
    const many = await interleave(subjects(url, 1).map(together), { times: 1, warmUp: warmUpRounds });
    return { rows: [...readingRows(found, many), await walk(url)], peerRows: compare(peers, found) };
  } finally {
    await worker.terminate();
  }
}

function subjects(url: string, size: number): readonly [fetch: Subject, ky: Subject, own: Subject] {
  const path = `${url}/v1/posts/?limit=${String(size)}`;
  const client = new SocialPublishing({ baseUrl: url, accessKey: 'bench-key' });
  return [
    { name: 'fetch', run: async (): Promise<unknown> => (await fetch(path, { headers })).json() },
    { name: 'ky', run: () => ky.get(path, { headers }).json() },
    { name: own, run: async () => (await client.posts.list({ limit: size })).items },
  ];
}

/** Makes many concurrent calls. */
function together({ name, run }: Subject): Subject {
  return { name, run: () => Promise.all(Array.from({ length: atOnce }, run)) };
}

function readingRows([one, twenty, hundred]: readonly Times[], many: Times): Row[] {
  if (!one || !twenty || !hundred) throw new Error('A size was not measured.');
  const kilobytes = (size: number) => `${(listOf(size).length / 1000).toFixed(1)} kB`;
  const medians = (times: Times, per = 1) =>
    [...times]
      .filter(([name]) => ['fetch', 'ky', own].includes(name))
      .map(([name, taken]) => `${name} ${ms(median(taken) / per)}`)
      .join(', ');
  const information = (times: Times) =>
    `${medians(times)}; over bare fetch ${ratio(times, own, 'fetch').median.toFixed(2)}`;
  return [
    atMostTimes(`one post (${kilobytes(1)}), over ky`, ratio(one, own, 'ky'), 1.35, information(one)),
    atMostTimes(`20 posts (${kilobytes(20)}), over ky`, ratio(twenty, own, 'ky'), 1.3, information(twenty)),
    atMostTimes(`100 posts (${kilobytes(100)}), over ky`, ratio(hundred, own, 'ky'), 1.25, information(hundred)),
    atMostTimes(
      `${String(atOnce)} calls at once, per call, over ky`,
      ratio(many, own, 'ky'),
      1.3,
      `${medians(many, atOnce)}, of one post each; over bare fetch ${ratio(many, own, 'fetch').median.toFixed(2)}`,
    ),
  ];
}

async function walk(url: string): Promise<Row> {
  const client = new SocialPublishing({ baseUrl: `${url}/far`, accessKey: 'bench-key' });
  const check = (items: readonly unknown[]) => {
    if (items.length !== pages * perPage) throw new Error(`The walk saw ${String(items.length)} posts.`);
  };
  const walks = {
    fetch: () => bareWalk(`${url}/far`),
    [own]: () => client.posts.list({ limit: perPage }, { concurrency }).toArray(),
  };
  const times = await interleave(
    Object.entries(walks).map(([name, read]) => ({
      name,
      run: async () => {
        check(await read());
      },
    })),
    { times: 1, rounds: 21, warmUp: 5 },
  );
  return atMostTimes(
    `walk of ${String(pages)} pages at ${String(delayMs)} ms, \`concurrency: ${String(concurrency)}\`, over a bare fetch that walks the same way`,
    ratio(times, own, 'fetch'),
    1.08,
    [...times].map(([name, taken]) => `${name} ${ms(median(taken))}`).join(', '),
  );
}

/** Reads the first page, which contains the total, then the others, at most `concurrency` at the same time. */
async function bareWalk(url: string): Promise<unknown[]> {
  const read = async (page: number) => {
    const query = `limit=${String(perPage)}&offset=${String(page * perPage)}`;
    const response = await fetch(`${url}/v1/posts/?${query}`, { headers });
    return (await response.json()) as { readonly total: number; readonly posts: readonly unknown[] };
  };
  const first = await read(0);
  const found = [first.posts];
  let next = 1;
  const readNext = async () => {
    while (next * perPage < first.total) {
      const page = next;
      next += 1;
      found[page] = (await read(page)).posts;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readNext));
  return found.flat();
}

/** Returns each library's median for each size, and its ratio to bare fetch. */
function compare(peers: readonly Peer[], found: readonly Times[]): string[][] {
  const described = [
    { name: 'fetch', what: 'fetch and .json()' },
    { name: 'ky', what: 'ky.get and .json()' },
    { name: own, what: 'posts.list' },
    ...peers,
  ];
  return described.map(({ name, what }) => [
    name,
    what,
    ...found.map((times) => `${ms(median(times.get(name)))}, ${ratio(times, name, 'fetch').median.toFixed(2)} ×`),
  ]);
}
