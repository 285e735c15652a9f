/**
 * Cleans up after an outage: finds the posts of intents in doubt, and sends the others. You can run it again at any time,
 * also after a crash: it publishes nothing twice.
 *
 *     npx tsx examples/programs/after-outage.ts --db publishing.db --prefix campaign-42/
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). For another
 * database, use its store in place of SqliteStore.
 */
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: after-outage [--db FILE] [--prefix TEXT] [--abandon] [--dry-run]

  --db FILE      the file of the store (default publishing.db)
  --prefix TEXT  decides only intents with keys that start with this text
  --abandon      never sends the intents without a post. Default: sends them
  --dry-run      only lists the intents in doubt

It decides only intents that were sent more than 10 minutes ago: the service can list a post late.
Exits with 0; 1 if it failed; 2 if intents stay in doubt and wait for your decision.`;

const limit = 100;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      db: { type: 'string', default: 'publishing.db' },
      prefix: { type: 'string', default: '' },
      abandon: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const store = new SqliteStore(values.db);
  try {
    await store.setup();
    const publisher = createPublisher({ client: new SocialPublishing(), store });
    if (!values['dry-run']) await cleanUp(publisher, values.prefix, values.abandon ? 'abandoned' : 'not_sent');
    return await reportDoubts(publisher, values.prefix);
  } finally {
    await store.close();
  }
}

async function cleanUp(publisher: Publisher, prefix: string, as: 'not_sent' | 'abandoned'): Promise<void> {
  await sweepAll(publisher); // Finds posts of processes that were killed.
  for await (const { key } of publisher.resolveAll({ prefix }, { as })) console.log(`${key}  ${as}`);
  await sweepAll(publisher); // Searches once more, then sends.
}

async function sweepAll(publisher: Publisher): Promise<void> {
  for (let count = limit; count === limit;) {
    const intents = await publisher.sweep({ limit });
    for (const { key, state, postId = '' } of intents) console.log(`${key}  ${state}  ${postId}`);
    count = intents.length;
  }
}

async function reportDoubts(publisher: Publisher, prefix: string): Promise<number> {
  let doubts = 0;
  for await (const { key, sentAt, lookup } of publisher.list({ state: 'in_doubt', prefix })) {
    doubts += 1;
    const found = lookup?.postIds?.join(', ') ?? '';
    console.error(`${key}, sent at ${sentAt ?? '?'}, is in doubt: ${lookup?.result ?? 'not searched'} ${found}`);
  }
  return doubts === 0 ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
