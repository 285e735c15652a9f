/**
 * Publishes drafts of two projects into one store. The same key in two scopes is two intents, each with the access key of
 * its project. You can run it again, also after a crash: it publishes nothing twice.
 *
 *     npx tsx examples/programs/two-projects.ts --key welcome --content 'Hello' shop blog
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, an access key for each project, for example ACCESS_KEY_SHOP and ACCESS_KEY_BLOG, and
 * Node 22.13 or later (SQLite).
 */
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: two-projects --key KEY --content TEXT [--db FILE] PROJECT ...

  --key KEY       the key of the draft in each project
  --content TEXT  the text of the draft
  --db FILE       the file of the store (default publishing.db)
  PROJECT         the name of a project: its scope. Its access key is in ACCESS_KEY_PROJECT, in upper case

Exits with 0 if each project has its draft, 2 if one is not created yet, 1 if it failed.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      content: { type: 'string' },
      db: { type: 'string', default: 'publishing.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const { key, content } = values;
  if (key === undefined || content === undefined) throw new Error('--key and --content are required.');
  const store = new SqliteStore(values.db);
  let missing = 0;
  try {
    await store.setup();
    for (const scope of positionals) {
      const publisher = createPublisher({ client: clientOf(scope), store, scope });
      await publisher.sweep(); // Each scope needs its own sweep.
      const { state, postId } = await publisher.publish(key, { content, saveAsDraft: true });
      const { byState } = await publisher.stats();
      console.log(`${scope}  ${key}  ${state}  ${postId ?? ''}  ${String(byState.in_doubt)} in doubt`);
      if (postId === undefined) missing += 1;
    }
  } finally {
    await store.close();
  }
  return missing === 0 ? 0 : 2;
}

function clientOf(project: string): SocialPublishing {
  const name = `ACCESS_KEY_${project.toUpperCase()}`;
  const accessKey = process.env[name];
  if (accessKey === undefined) throw new Error(`${name} is not set.`);
  return new SocialPublishing({ accessKey });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
