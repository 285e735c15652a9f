/**
 * Saves the metrics of the posts of the last days, once a day, within a budget. It stores the position after each page. If
 * the budget ends, or the process is killed, the next run continues there.
 *
 * npx tsx examples/programs/analytics-nightly.ts --days 30 --max-credits 10
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). Each page of 100
 * posts costs a credit.
 */
import type { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { CreditLimitError, SocialPublishing, type ListPostAnalyticsQuery } from 'social-publishing';
import { ListPostAnalyticsQuerySchema } from 'social-publishing/schemas';

const usage = `Usage: analytics-nightly [--days N] [--max-credits N] [--page-size N] [--db FILE]

  --days N         the days before today (default 30, at most 365)
  --max-credits N  the most credits to spend in this run (default 10)
  --page-size N    posts per page, 1 to 100 (default 100)
  --db FILE        the file for metrics and position (default analytics-nightly.db)

Exits with 0 if today is complete, 2 if the credits did not suffice: the next run continues. 1 if it failed.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '30' },
      'max-credits': { type: 'string', default: '10' },
      'page-size': { type: 'string', default: '100' },
      db: { type: 'string', default: 'analytics-nightly.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const client = new SocialPublishing().withBudget(Number(values['max-credits']));
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(values.db);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000;
    CREATE TABLE IF NOT EXISTS metrics (post_id TEXT, day TEXT, metrics TEXT NOT NULL, PRIMARY KEY (post_id, day));
    CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY CHECK (id = 1), day TEXT NOT NULL, next TEXT)`);
  try {
    const now = Date.now();
    const first = { fromDate: dayOf(now - Number(values.days) * 86_400_000), toDate: dayOf(now) };
    return await readPages(client, database, { ...first, order: 'asc', limit: Number(values['page-size']) });
  } finally {
    console.log(`${String(client.creditsUsed)} credits used.`);
    database.close();
  }
}

/** Reads from the stored position on, or from the first page of a new day. */
async function readPages(client: SocialPublishing, database: DatabaseSync, first: ListPostAnalyticsQuery) {
  const today = dayOf(Date.now());
  const stored = database.prepare('SELECT day, next FROM position').get();
  const isContinued = typeof stored?.['next'] === 'string';
  if (!isContinued && stored?.['day'] === today) {
    console.log(`${today} is complete already.`);
    return 0;
  }
  const day = isContinued ? String(stored['day']) : today;
  let next: ListPostAnalyticsQuery | undefined = isContinued
    ? ListPostAnalyticsQuerySchema.parse(JSON.parse(String(stored['next'])))
    : first;
  while (next !== undefined) {
    try {
      const page: Awaited<ReturnType<typeof client.analytics.listPosts>> = await client.analytics.listPosts(next);
      next = page.next;
      // Metrics and position are written together: a crash repeats at most this page.
      database.exec('BEGIN IMMEDIATE');
      const save = database.prepare('INSERT OR REPLACE INTO metrics (post_id, day, metrics) VALUES (?, ?, ?)');
      for (const { postId, aggregated } of page.items)
        if (postId !== undefined) save.run(postId, day, JSON.stringify(aggregated ?? {}));
      const position = next === undefined ? null : JSON.stringify(next);
      database.prepare('INSERT OR REPLACE INTO position (id, day, next) VALUES (1, ?, ?)').run(day, position);
      database.exec('COMMIT');
      console.log(`${day}: ${String(page.items.length)} posts saved`);
    } catch (error) {
      if (!(error instanceof CreditLimitError)) throw error;
      console.error(`The budget of this run is spent. The next run continues. ${error.message}`);
      return 2;
    }
  }
  return 0;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
