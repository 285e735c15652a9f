/**
 * Scheduled posts wait in a store until shortly before their time, so that you can edit, cancel and pause them.
 *
 *     npx tsx examples/programs/late-send.ts add spring.txt --to ACCOUNT --ahead 10
 *     npx tsx examples/programs/late-send.ts sweep
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). Run `sweep` every
 * minute, for example from cron. Each command can be killed and repeated: no post goes out twice.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { SocialPublishing, targetOf } from 'social-publishing';
import { createPublisher, type Intent, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: late-send add FILE|- --to ACCOUNT… [--ahead MINUTES]
                               keeps each line (KEY TIME TEXT) until that long before its time (default 10)
       late-send list          shows the posts that wait, and when they are sent
       late-send edit KEY TEXT changes the text of a post that waits
       late-send cancel KEY    a post that waits is never sent
       late-send sweep [--paused]
                               sends the posts whose time has come, and reads results; --paused sends nothing

  --db FILE  the file of the store (default late-send.db)

Exits with 0 on success, 1 on an error, 2 if a post was rejected, failed or is in doubt.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string', multiple: true, default: [] },
      ahead: { type: 'string', default: '10' },
      paused: { type: 'boolean', default: false },
      db: { type: 'string', default: 'late-send.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command = '', argument = '', words = ''] = positionals;
  const needed = { add: 2, list: 1, edit: 3, cancel: 2, sweep: 1 }[command];
  if (values.help || needed !== positionals.length) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  try {
    await store.setup();
    const publisher = createPublisher({ client, store });
    if (command === 'add') return await add(client, publisher, argument, values);
    if (command === 'edit') return report([await edit(publisher, argument, words)]);
    if (command === 'cancel') return report([await publisher.cancel(argument)], ['abandoned']);
    if (command === 'sweep') return report(await publisher.sweep({ send: !values.paused }));
    for await (const intent of publisher.list({ state: 'ready' })) console.log(line(intent));
    return 0;
  } finally {
    await store.close();
  }
}

/** Keeps each line once, also if the file is added again. */
async function add(
  client: SocialPublishing,
  publisher: Publisher,
  file: string,
  { to, ahead }: { readonly to: readonly string[]; readonly ahead: string },
): Promise<number> {
  const lines = (await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'))).split('\n');
  if (to.length === 0 || !(Number(ahead) >= 0))
    throw new Error('Pass --to ACCOUNT, and --ahead as a number of minutes.');
  const platforms = (await Promise.all(to.map((id) => client.integrations.get(id)))).map(targetOf);
  const items = lines
    .filter((one) => one.trim() !== '')
    .map((one) => {
      const [, key = '', scheduledFor = '', content = ''] = /^(\S+)\s+(\S+)\s+(.*\S)\s*$/.exec(one) ?? [];
      return { key, body: { content, scheduledFor, platforms }, sendAheadMs: Number(ahead) * 60_000 };
    });
  const kept: Intent[] = [];
  for await (const intent of publisher.publishMany(items)) {
    // The key has another text by now: `edit` has changed it.
    if (intent.error?.name === 'IntentConflictError') console.log(`${intent.key}  was edited, and stays as it is`);
    else kept.push(intent);
  }
  return report(kept, ['abandoned']);
}

async function edit(publisher: Publisher, key: string, content: string): Promise<Intent> {
  const intent = await publisher.get(key);
  if (intent === undefined) throw new Error(`There is no post ${key}. Add it first.`);
  return publisher.edit(key, { ...intent.body, content }, { extraBody: intent.extraBody });
}

/** @param fine states that are no problem, in addition to those of a post on its way */
function report(intents: readonly Intent[], fine: readonly string[] = []): number {
  for (const intent of intents) console.log(line(intent));
  const ways: readonly string[] = ['ready', 'sending', 'accepted', 'published', ...fine];
  return intents.every(({ state }) => ways.includes(state)) ? 0 : 2;
}

function line({ key, state, sendAt = '', body, error }: Intent): string {
  return `${key}  ${state}  ${sendAt}  ${body.content ?? ''}${error === undefined ? '' : `  (${error.message})`}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
