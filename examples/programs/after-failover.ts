/**
 * Lists the posts that no intent has, after a failover of the database or a restored backup. It sends nothing, and changes
 * nothing at the service. You can run it again.
 *
 *     npx tsx examples/programs/after-failover.ts --db publishing.db --since 2027-03-01T09:00:00Z
 *
 * Stop your publishers first. It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later
 * (SQLite). For another database, use its store in place of SqliteStore.
 */
import { parseArgs } from 'node:util';
import { SocialPublishing, type Post } from 'social-publishing';
import { createPublisher, type Intent, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: after-failover --since TIME [--db FILE]

  --since TIME  when the last write was certainly kept, for example 2027-03-01T09:00:00Z
  --db FILE     the file of the store (default publishing.db)

For each post that no intent has, it names the ready intent with the same content: that intent would publish the post
again. Other posts without an intent belong to a lost key: do not publish that key again.
Exits with 0 if each post has an intent, 2 if not, 1 if it failed.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      since: { type: 'string' },
      db: { type: 'string', default: 'publishing.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (values.since === undefined) throw new Error('--since is required.');
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  try {
    await store.setup();
    const publisher = createPublisher({ client, store });
    // Finds the posts of intents in doubt. An intent whose mark was lost looks ready, so nothing is sent.
    while ((await publisher.sweep({ limit: 100, send: false })).length === 100);
    const posts = client.posts.list({ createdAfter: values.since, limit: 100 });
    return await report(posts, await readIntents(publisher), values.db);
  } finally {
    await store.close();
  }
}

interface Known {
  readonly postIds: ReadonlySet<string>;
  readonly ready: readonly Intent[];
}

async function readIntents(publisher: Publisher): Promise<Known> {
  const postIds = new Set<string>();
  const ready: Intent[] = [];
  for await (const intent of publisher.list()) {
    if (intent.postId !== undefined) postIds.add(intent.postId);
    if (intent.state === 'ready') ready.push(intent);
  }
  return { postIds, ready };
}

async function report(posts: AsyncIterable<Post>, { postIds, ready }: Known, db: string): Promise<number> {
  let count = 0;
  for await (const { postId, content } of posts) {
    if (postIds.has(postId)) continue;
    count += 1;
    const equal = ready.filter(({ body }) => (body.content ?? '') === (content ?? ''));
    if (equal.length === 0) console.log(`${postId}  belongs to no intent. Do not publish its key again.`);
    for (const { key } of equal) {
      console.log(`${postId}  looks like '${key}'. If it is, run:`);
      console.log(`  social-publishing intents resolve '${key}' --as published --post-id ${postId} --store '${db}'`);
    }
  }
  return count === 0 ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
