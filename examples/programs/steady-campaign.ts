/**
 * Schedules each line of a file as a post, one a day, each once. If the service goes down, it waits until the service answers
 * again, and shows that. If the service is down at the start, it ends with 1, because it reads the account first. If it was
 * killed, ended with 1 or stopped waiting, start it again: it continues, and publishes nothing twice.
 *
 *     npx tsx examples/programs/steady-campaign.ts posts.txt --to integration_1 --from 2030-01-07T09:00:00Z
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite).
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { SocialPublishing, targetOf } from 'social-publishing';
import { createPublisher, type PublishItem, type PublishProgress } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: steady-campaign FILE --to ID --from TIME [--db FILE] [--patience MINUTES]

  --to ID             the account
  --from TIME         the time of the first post; each other post is a day later
  --db FILE           the file of the store (default publishing.db)
  --patience MINUTES  how long to wait for a service that goes down (default 10)

Exits with 0 if every post is scheduled; 1 if some may not have been sent, run it again; 2 if some are in doubt.`;

const dayMs = 86_400_000;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string', default: '' },
      from: { type: 'string', default: '' },
      db: { type: 'string', default: 'publishing.db' },
      patience: { type: 'string', default: '10' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [file] = positionals;
  const first = Date.parse(values.from);
  const outageMs = Number(values.patience) * 60_000;
  if (values.help || file === undefined || values.to === '' || Number.isNaN(first) || !(outageMs >= 0)) {
    console.log(usage);
    return values.help ? 0 : 1;
  }
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  try {
    await store.setup();
    const target = targetOf(await client.integrations.get(values.to));
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    const items = lines.map((content, index): PublishItem => ({
      key: `${basename(file)}/${String(index + 1)}`,
      body: { content, scheduledFor: new Date(first + index * dayMs), platforms: [target] },
    }));
    const publisher = createPublisher({ client, store, outageMs });
    let counts: PublishProgress | undefined;
    const onProgress = (progress: PublishProgress) => {
      counts = progress;
      const { waitingMs, waitingSince } = progress;
      if (waitingMs !== undefined)
        console.log(`the service is down since ${waitingSince ?? ''}, next try in ${String(waitingMs / 1000)} s`);
    };
    for await (const { key, state, error } of publisher.publishMany(items, { concurrency: 8, onProgress }))
      console.log([key, state, error?.message].filter((part) => part !== undefined).join('  '));
    return report(counts);
  } finally {
    await store.close();
  }
}

function report(counts: PublishProgress | undefined): number {
  if (counts === undefined) return 0;
  const { inDoubt, ready, sending, rejected } = counts;
  // Another process is sending them, or was killed. Its lease (`leaseMs`) lasts a minute.
  if (sending > 0) console.error(`${String(sending)} may have been sent: run it again after a minute`);
  if (ready > 0) console.error(`${String(ready)} not sent yet: run it again`);
  if (inDoubt > 0)
    console.error(
      `${String(inDoubt)} in doubt: run it again after 10 minutes, to search for them. Then check the dashboard for the ` +
        'rest, and decide with social-publishing intents resolve',
    );
  if (inDoubt > 0) return 2;
  return ready + sending + rejected > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
