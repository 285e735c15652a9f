/**
 * Schedules the rows of a table. If you stop or kill it, run it again: it continues, and publishes no row twice. After a
 * kill, a few rows can stay `in_doubt` until you decide (`publisher.resolve`).
 *
 *     npx tsx examples/bulk-schedule/index.ts campaign.csv
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY, Node 22.13 or later, and one package:
 * `npm install csv-parse`. The command `social-publishing campaign` does the same, checks all rows first, and has a dry run.
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { SocialPublishing, zonedTime } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

interface Row {
  readonly key: string;
  readonly content: string;
  readonly time: string;
  readonly zone: string;
  readonly targets: string;
}

const [file = 'examples/bulk-schedule/campaign.csv', db = 'bulk-schedule.db'] = process.argv.slice(2);
const rows: Row[] = parse(await readFile(file), { bom: true, columns: true, skip_empty_lines: true, trim: true });

const items = rows.map(({ key, content, time, zone, targets }) => ({
  key: `campaign/${key}`,
  body: {
    content,
    scheduledFor: zone === '' ? time : zonedTime(time, zone),
    platforms: targets.split(/\s+/).map((target) => {
      const [platform = '', accountId = ''] = target.split(':');
      return { platform, accountId };
    }),
  },
}));

const store = new SqliteStore(db);
const publisher = createPublisher({ client: new SocialPublishing(), store, leaseMs: 5_000 });
let held = 0;
for await (const intent of publisher.publishMany(items, { concurrency: 4 })) {
  if (intent.postId !== undefined) continue;
  held += 1;
  console.error(`${intent.key}: ${intent.state}: ${intent.error?.message ?? 'not settled yet'}`);
}
await store.close();
console.log(`${rows.length - held} of ${rows.length} rows are scheduled.`);
process.exitCode = held === 0 ? 0 : 2;
