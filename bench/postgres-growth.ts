/**
 * Publishes many intents over one table of a fresh Postgres with default settings, and prints how publish time, table and
 * indexes grow. `npx tsx bench/postgres-growth.ts --publishes 1000000 --concurrency 16 --minutes 40`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { CreatePostBody } from '../src/index.js';
import { createPublisher, type PublisherClient } from '../src/publisher/index.js';
import { PostgresStore } from '../src/stores/postgres/index.js';
import { startPostgres } from '../test/support/temporary-servers.js';

const { values } = parseArgs({
  options: {
    publishes: { type: 'string', default: '1000000' },
    concurrency: { type: 'string', default: '16' },
    minutes: { type: 'string', default: '40' },
  },
});
const [publishes, concurrency] = [Number(values.publishes), Number(values.concurrency)];
const endAt = performance.now() + Number(values.minutes) * 60_000;
const stages = 20;

const body: CreatePostBody = {
  content: 'Hello from the bench. '.repeat(10),
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky', accountId: 'int_1' }],
};

/** Replies within this process, so the times are only those of the publisher and Postgres. */
let posts = 0;
const client: PublisherClient = {
  posts: {
    create: () => {
      posts += 1;
      return Promise.resolve({ success: true, postId: `post_${String(posts)}`, status: 'scheduled' });
    },
    list: () => ({ pages: () => (async function* () {})() }),
  },
};

const server = await startPostgres();
const pool = new pg.Pool({ connectionString: server.url, max: concurrency });
pool.on('error', (error) => {
  console.error(error.message);
});
try {
  const store = new PostgresStore(pool);
  await store.setup();
  const publisher = createPublisher({ client, store });
  console.log(
    '| publishes | publishes/s | median ms | p99 ms | table MB | indexes MB | live rows | dead rows | HOT updates | autovacuums |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (let done = 0; done < publishes && performance.now() < endAt;) {
    const until = Math.min(publishes, done + publishes / stages);
    const times: number[] = [];
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (done < until && performance.now() < endAt) {
          const key = `campaign/${String((done += 1))}`;
          const start = performance.now();
          await publisher.publish(key, body);
          times.push(performance.now() - start);
        }
      }),
    );
    console.log(await row(done, times, performance.now() - begun));
  }
} finally {
  await pool.end();
  await server.stop();
}

async function row(done: number, times: number[], elapsedMs: number): Promise<string> {
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT pg_table_size(relid) AS size, pg_indexes_size(relid) AS indexes, n_live_tup, n_dead_tup, n_tup_hot_upd, autovacuum_count
     FROM pg_stat_user_tables WHERE relname = 'social_publishing'`,
  );
  const [found = {}] = rows;
  const megabytes = (bytes = '') => (Number(bytes) / 1e6).toFixed(0);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  const cells = [
    ...[done, Math.round((times.length / elapsedMs) * 1_000), at(0.5), at(0.99)],
    ...[megabytes(found['size']), megabytes(found['indexes'])],
    ...[found['n_live_tup'], found['n_dead_tup'], found['n_tup_hot_upd'], found['autovacuum_count']],
  ];
  return `| ${cells.map(String).join(' | ')} |`;
}
