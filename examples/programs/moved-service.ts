/**
 * Continues the intents of a service whose URL changed, for example the URL of a proxy. It sends nothing twice: the
 * intents keep their keys, and the posts keep their owners. You can run it again, also after a crash.
 *
 *     npx tsx examples/programs/moved-service.ts --from https://old-proxy.example.com --db publishing.db
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL (the new URL), SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). Pass
 * `service` in the same way in each program that uses the store. Then start your programs again.
 */
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: moved-service --from URL [--db FILE]

  --from URL  the URL under which the intents were written
  --db FILE   the file of the store (default publishing.db)

Exits with 0 if no intent is late or in doubt, 2 if some are, 1 if it failed.`;

const limit = 100;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      db: { type: 'string', default: 'publishing.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (values.from === undefined) throw new Error('--from is required.');
  const store = new SqliteStore(values.db);
  try {
    await store.setup();
    const client = new SocialPublishing();
    const written = createPublisher({ client, store });
    const { otherServices } = await written.stats();
    console.log(`${String(otherServices)} open intents have another URL than ${client.baseUrl}`);
    const publisher = createPublisher({ client, store, service: values.from });
    for (let count = limit; count === limit;) {
      const intents = await publisher.sweep({ limit });
      for (const { key, state, postId = '' } of intents) console.log(`${key}  ${state}  ${postId}`);
      count = intents.length;
    }
    const { byState, overdue } = await publisher.stats();
    console.log(`${String(byState.in_doubt)} in doubt, ${String(overdue)} late`);
    return byState.in_doubt + overdue === 0 ? 0 : 2;
  } finally {
    await store.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
