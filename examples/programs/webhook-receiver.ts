/**
 * Receives the events of posts and reports failed posts, each once, even across crashes. It writes each event to a file
 * before it acknowledges the delivery. At the start, and each hour, it finds posts whose events never arrived.
 *
 * WEBHOOK_SECRET=whsec_… npx tsx examples/programs/webhook-receiver.ts --port 3000 --since 2026-03-01T00:00:00Z
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, the signing secret of the subscription, and
 * Node 22.13 or later (SQLite).
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { InvalidRequestError, SocialPublishing, targetResults } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox, type CatchUpQuery, type InboxEvent, type WebhookInbox } from 'social-publishing/webhooks';

const usage = `Usage: webhook-receiver [--port N] [--db FILE] [--since DATE-TIME] [--every SECONDS]

  --port N           the port for deliveries (default 3000; 0: any free port)
  --db FILE          the file for events (default webhook-receiver.db)
  --since DATE-TIME  the first search finds posts that became final since then without an event (default: a day ago)
  --every SECONDS    the pause between two searches (default 3600). Later ones go back a day

WEBHOOK_SECRET is the signing secret. Ctrl-C finishes the events being handled.
Exits with 0 on success, 1 if it could not start, 2 if some events could not be handled and need an operator.`;

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
      port: { type: 'string', default: '3000' },
      db: { type: 'string', default: 'webhook-receiver.db' },
      since: { type: 'string' },
      every: { type: 'string', default: '3600' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  // Reports missing settings before it starts.
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  try {
    const inbox = createWebhookInbox({
      secret: process.env['WEBHOOK_SECRET'] ?? '',
      store,
      on: { default: tell },
      onRejected: (error) => {
        console.error(`refused a delivery: ${error.code}`);
      },
    });
    await store.setup();
    await serve(inbox, Number(values.port), () =>
      catchUp(inbox, client, values.since ?? dayAgo(), Number(values.every) * 1_000),
    );
    return await tellDead(inbox);
  } finally {
    await store.close();
  }
}

/** Listens and handles events until the work ends or fails: nothing keeps running either way. */
async function serve(inbox: WebhookInbox, port: number, work: () => Promise<void>) {
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  const worker = inbox.start();
  try {
    await work();
  } finally {
    server.close();
    server.closeIdleConnections();
    await worker.stop();
  }
}

const isStopped = () => signal.aborted;
const dayAgo = () => new Date(Date.now() - 24 * 3_600_000);

/**
 * Finds the posts of lost events until a signal. The service tries three times to deliver an event: if all three fail,
 * only the list shows its post. If the list cannot be read, it tries again with the same time.
 */
async function catchUp(inbox: WebhookInbox, client: SocialPublishing, first: string | Date, everyMs: number) {
  const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal }) };
  for (let since = first; !isStopped();) {
    const next = dayAgo();
    let pauseMs = everyMs;
    try {
      const { recovered } = await inbox.catchUp({ client: { posts }, since });
      console.log(`caught up: ${String(recovered)} events`);
      since = next;
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof InvalidRequestError) throw error; // --since is not a time
      console.error(`could not catch up, will try again: ${error instanceof Error ? error.message : String(error)}`);
      pauseMs = Math.min(everyMs, 60_000);
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function tellDead(inbox: WebhookInbox): Promise<number> {
  let dead = 0;
  for await (const { id, type } of inbox.dead()) {
    dead += 1;
    console.error(`${type} ${id} could not be handled`);
  }
  return dead === 0 ? 0 : 2;
}

/** Reports an event; it could also write to a chat or a ticket. If it throws, the event is handled again later. */
function tell(event: InboxEvent): void {
  if (!event.known) {
    console.log(`${event.type}: not a documented event`);
    return;
  }
  const { post } = event.data;
  console.log(`${event.type}  ${post.id}  ${post.content ?? ''}${event.recovered ? '  (caught up)' : ''}`);
  const { failed, warned } = targetResults(event);
  for (const { platform = '', accountId = '', error = '' } of failed)
    console.log(`  ${platform} ${accountId}: ${error}`);
  for (const { platform = '', accountId = '', warning = '' } of warned)
    console.log(`  ${platform} ${accountId}: published, but ${warning}`);
  if (failed.length > 0) console.log(`  to publish what failed again: approval-queue retry ${post.id}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
