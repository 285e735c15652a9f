/**
 * Receives the events of posts and reports failed posts, each once, even across crashes. It writes each event to a file
 * before it acknowledges the delivery. At the start, it catches up on posts of its downtime.
 *
 * WEBHOOK_SECRET=whsec_… npx tsx examples/programs/webhook-receiver.ts --port 3000 --since 2026-03-01T00:00:00Z
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, the signing secret of the subscription, and
 * Node 22.13 or later (SQLite).
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { SocialPublishing, targetResults } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox, type CatchUpQuery, type InboxEvent, type WebhookInbox } from 'social-publishing/webhooks';

const usage = `Usage: webhook-receiver [--port N] [--db FILE] [--since DATE-TIME]

  --port N           the port for deliveries (default 3000; 0: any free port)
  --db FILE          the file for events (default webhook-receiver.db)
  --since DATE-TIME  catches up on posts that became final since then without an event

WEBHOOK_SECRET is the signing secret. Ctrl-C finishes the events being handled.
Exits with 0 on success, 1 if it could not start or catch up, 2 if some events could not be handled and need an operator.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3000' },
      db: { type: 'string', default: 'webhook-receiver.db' },
      since: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  // Reports missing settings before it starts.
  const client = values.since === undefined ? undefined : new SocialPublishing();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      stop.abort();
    });
  }
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
    await serve(inbox, Number(values.port), stop.signal, async () => {
      if (client !== undefined) await catchUp(inbox, client, values.since ?? '', stop.signal);
    });
    return await tellDead(inbox);
  } finally {
    await store.close();
  }
}

/** Listens and handles events until a signal, or until the first task fails: nothing keeps running either way. */
async function serve(inbox: WebhookInbox, port: number, stopped: AbortSignal, first: () => Promise<void>) {
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  const worker = inbox.start();
  try {
    await first();
    if (!stopped.aborted) await once(stopped, 'abort');
  } catch (error) {
    // Work that a signal interrupted did not fail.
    if (!stopped.aborted) throw error;
  } finally {
    server.close();
    server.closeIdleConnections();
    await worker.stop();
  }
}

async function catchUp(inbox: WebhookInbox, client: SocialPublishing, since: string, signal: AbortSignal) {
  const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal }) };
  const { recovered } = await inbox.catchUp({ client: { posts }, since });
  console.log(`caught up: ${String(recovered)} events`);
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
