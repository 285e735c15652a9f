/**
 * Receives the events of posts and tells of those that failed, each once, whatever crashes: an event is written to a file
 * before it is acknowledged, and what came while the program was down is looked for when it starts.
 *
 *     WEBHOOK_SECRET=whsec_… npx tsx examples/programs/webhook-receiver.ts --port 3000 --since 2026-03-01T00:00:00Z
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, the signing secret of the subscription, and
 * Node 22.13 or later (SQLite).
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { SocialPublishing, targetResults } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox, type InboxEvent } from 'social-publishing/webhooks';

const usage = `Usage: webhook-receiver [--port N] [--db FILE] [--since DATE-TIME]

  --port N           where deliveries come in (default 3000; 0 takes any free one)
  --db FILE          where events are kept (default webhook-receiver.db)
  --since DATE-TIME  posts that became final since then, and were not told of, are caught up on

WEBHOOK_SECRET is the signing secret. Ctrl-C finishes what is being handled. Ends with 0, 1 where it could not start, and 2
where some events could not be handled and wait for a person.`;

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
  const store = new SqliteStore(values.db);
  const inbox = createWebhookInbox({
    secret: process.env['WEBHOOK_SECRET'] ?? '',
    store,
    on: { default: tell },
    onRejected: (error) => {
      console.error(`refused a delivery: ${error.code}`);
    },
  });
  await store.setup();
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const worker = inbox.start();
  if (values.since !== undefined) {
    const { recovered } = await inbox.catchUp({ client: new SocialPublishing(), since: values.since });
    console.log(`caught up: ${String(recovered)} events`);
  }
  await stopped;
  server.close();
  server.closeIdleConnections();
  await worker.stop();
  let dead = 0;
  for await (const { id, type } of inbox.dead()) {
    dead += 1;
    console.error(`${type} ${id} could not be handled`);
  }
  await store.close();
  return dead === 0 ? 0 : 2;
}

/** What is told here could as well go to a chat or a ticket: where this throws, the event is handled again later. */
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
