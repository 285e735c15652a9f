/**
 * Replaces a webhook receiver by an inbox, and handles each event once, also those of the time in between. Run it with
 * `--stage receiver` before the switch, and with `--stage inbox` after it.
 *
 * WEBHOOK_SECRET=whsec_… npx tsx examples/programs/receiver-to-inbox.ts --stage inbox --since 2026-03-01T09:00:00Z
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, the signing secret of the subscription, and
 * Node 22.13 or later (SQLite). Both stages must use the same file and the same secret: that is how the inbox knows
 * which events the receiver handled.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { InvalidRequestError, SocialPublishing } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import {
  createWebhookInbox,
  createWebhookReceiver,
  type CatchUpQuery,
  type WebhookEvent,
  type WebhookInbox,
} from 'social-publishing/webhooks';

const usage = `Usage: receiver-to-inbox --stage receiver|inbox [--since DATE-TIME] [--every SECONDS] [--port N] [--db FILE]

  --stage STAGE      receiver: as before the switch. inbox: as after it
  --since DATE-TIME  with inbox: when the receiver stopped, or earlier. Posts that became final since then without
                     an event are found in the list
  --every SECONDS    with inbox: the pause between two searches (default 3600). Later ones go back a day
  --port N           the port for deliveries (default 3000; 0: any free port)
  --db FILE          the file of both stages (default receiver-to-inbox.db)

WEBHOOK_SECRET is the signing secret. Ctrl-C ends it.
Exits with 0 on success, 1 if it could not start, 2 if some events could not be handled.`;

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
      stage: { type: 'string' },
      since: { type: 'string' },
      every: { type: 'string', default: '3600' },
      port: { type: 'string', default: '3000' },
      db: { type: 'string', default: 'receiver-to-inbox.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { stage, since } = values;
  if (values.help || (stage !== 'receiver' && stage !== 'inbox')) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  // Without a time, the events of the switch would be lost.
  if (stage === 'inbox' && since === undefined)
    throw new Error('--stage inbox needs --since: when the receiver stopped.');
  const secret = process.env['WEBHOOK_SECRET'] ?? '';
  const store = new SqliteStore(values.db);
  await store.setup();
  try {
    if (stage === 'receiver') {
      const receiver = createWebhookReceiver({ secret, store, on: { default: handle } });
      await listen(Number(values.port), (request, response) => void receiver.node(request, response));
      await receiver.idle();
      return 0;
    }
    const client = new SocialPublishing();
    const inbox = createWebhookInbox({ secret, store, on: { default: handle } });
    const worker = inbox.start({ pollMs: 200 });
    await listen(
      Number(values.port),
      (request, response) => void inbox.node(request, response),
      () => catchUp(inbox, client, since ?? '', Number(values.every) * 1_000),
    );
    await worker.stop();
    for await (const { id } of inbox.dead()) {
      console.error(`${id} could not be handled`);
      return 2;
    }
    return 0;
  } finally {
    await store.close();
  }
}

const isStopped = () => signal.aborted;

/**
 * Finds the posts of lost events until a signal: the service tries three times to deliver an event. If the service cannot
 * be listed, it tries again with the same time.
 */
async function catchUp(inbox: WebhookInbox, client: SocialPublishing, first: string | Date, everyMs: number) {
  const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal }) };
  for (let since = first; !isStopped();) {
    const next = new Date(Date.now() - 24 * 3_600_000);
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

/** The same handler in both stages. */
function handle(event: WebhookEvent): void {
  console.log(`handled ${event.type} ${event.known ? event.data.post.id : ''}`);
}

/** Serves until a signal. Deliveries arrive while `work` runs. */
async function listen(port: number, listener: RequestListener, work?: () => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  try {
    await work?.();
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    server.close();
    server.closeIdleConnections();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
