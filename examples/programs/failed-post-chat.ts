/**
 * Sends one chat message for each failed post, also across crashes. The handler writes the message into its own table. A
 * loop sends it with a key, so that the chat ignores a repeat.
 *
 * WEBHOOK_SECRET=whsec_… npx tsx examples/programs/failed-post-chat.ts --chat https://chat.example/hooks/1
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, the signing secret of the subscription, and
 * Node 22.13 or later (SQLite). The chat must ignore a repeated `Idempotency-Key`.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SocialPublishing, targetResults } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import {
  createWebhookInbox,
  type CatchUpQuery,
  type KnownWebhookEvent,
  type WebhookInbox,
} from 'social-publishing/webhooks';

const usage = `Usage: failed-post-chat --chat URL [--port N] [--db FILE] [--since DATE-TIME] [--every SECONDS]

  --chat URL         gets each message as JSON: { text }, with the header Idempotency-Key
  --port N           the port for deliveries (default 3000; 0: any free port)
  --db FILE          the file for events and messages (default failed-post-chat.db)
  --since DATE-TIME  finds posts that failed since then without an event (default: a day ago)
  --every SECONDS    the pause between two searches for such posts (default 3600). Later ones go back a day

WEBHOOK_SECRET is the signing secret. Ctrl-C ends it.
Exits with 0 on success, 1 if it could not start, 2 if some messages are not sent yet: the next start sends them.`;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, () => {
    stop.abort();
  });
}
const { signal } = stop;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      chat: { type: 'string' },
      port: { type: 'string', default: '3000' },
      db: { type: 'string', default: 'failed-post-chat.db' },
      since: { type: 'string' },
      every: { type: 'string', default: '3600' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { chat } = values;
  if (values.help || chat === undefined) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const client = new SocialPublishing();
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(values.db);
  // A message is in the table before the event counts as handled, and stays there.
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000;
    CREATE TABLE IF NOT EXISTS chat_messages (post_id TEXT PRIMARY KEY, text TEXT NOT NULL, sent_at TEXT)`);
  const store = new SqliteStore(database);
  await store.setup();
  const note = noteFailure.bind(undefined, database);
  const inbox = createWebhookInbox({
    secret: process.env['WEBHOOK_SECRET'] ?? '',
    store,
    on: { 'post.failed': note, 'post.partial': note },
    leaseMs: 5_000, // the handler takes milliseconds
  });
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  const worker = inbox.start({ pollMs: 200 });
  const catchingUp = catchUp(inbox, client, values.since ?? dayAgo(), Number(values.every) * 1_000);
  while (!signal.aborted) {
    await sendAll(database, chat);
    await sleep(200, undefined, { signal }).catch(() => undefined);
  }
  server.close();
  await catchingUp;
  await worker.stop();
  const { count = 0 } =
    database.prepare('SELECT count(*) AS count FROM chat_messages WHERE sent_at IS NULL').get() ?? {};
  database.close();
  return Number(count) === 0 ? 0 : 2;
}

const dayAgo = () => new Date(Date.now() - 24 * 3_600_000);

/**
 * Finds the posts of lost events until a signal: the service tries three times to deliver an event. If the service cannot
 * be listed, it tries again with the same time. Messages are sent meanwhile.
 */
async function catchUp(inbox: WebhookInbox, client: SocialPublishing, first: string | Date, everyMs: number) {
  const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal }) };
  for (let since = first; !signal.aborted;) {
    const next = dayAgo();
    const found = await inbox.catchUp({ client: { posts }, since }).catch((error: unknown) => {
      if (!signal.aborted) console.error(`catchUp failed: ${String(error)}`);
    });
    if (found !== undefined) since = next;
    await sleep(found === undefined ? 2_000 : everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The handler may run again after a crash: the post already has its row then. */
function noteFailure(database: DatabaseSync, event: KnownWebhookEvent): void {
  const { failed } = targetResults(event);
  if (failed.length === 0) return; // only warnings
  const { id, content = '' } = event.data.post;
  const reasons = failed.map(({ platform = '', error = '' }) => `${platform}: ${error}`).join('; ');
  database
    .prepare('INSERT INTO chat_messages (post_id, text) VALUES (?, ?) ON CONFLICT DO NOTHING')
    .run(id, `“${content}” failed. ${reasons}`);
}

/** After a crash between the request and its note, the same key is sent again, and the chat ignores it. */
async function sendAll(database: DatabaseSync, chat: string): Promise<void> {
  for (const row of database.prepare('SELECT post_id, text FROM chat_messages WHERE sent_at IS NULL').all()) {
    const postId = String(row['post_id']);
    try {
      const headers = { 'content-type': 'application/json', 'idempotency-key': postId };
      const body = JSON.stringify({ text: row['text'] });
      const { ok, status } = await fetch(chat, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
      if (!ok) throw new Error(`the chat replied ${String(status)}`);
      database.prepare('UPDATE chat_messages SET sent_at = ? WHERE post_id = ?').run(new Date().toISOString(), postId);
      console.log(`sent ${postId}`);
    } catch (error) {
      console.error(`${postId} is not sent yet: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
