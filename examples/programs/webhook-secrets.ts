/**
 * Receives events while you replace the signing secret, and loses none. It reads the valid secrets from a file at each
 * delivery: add the new one, replace it at the service, and remove the old one after a day.
 *
 * npx tsx examples/programs/webhook-secrets.ts --secrets secrets.txt
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite).
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox, type InboxEvent } from 'social-publishing/webhooks';

const usage = `Usage: webhook-secrets --secrets FILE [--port N] [--db FILE] [--every SECONDS] [--since DATE-TIME]

  --secrets FILE     the valid signing secrets, one per line. A change counts from the next delivery
  --port N           the port for deliveries (default 3000; 0: any free port)
  --db FILE          the file for events (default webhook-secrets.db)
  --every SECONDS    the pause between two searches for posts whose events were refused (default 600)
  --since DATE-TIME  how far back a search goes (default: a day)

Ctrl-C ends it. Exits with 0 on success, 1 if it could not start.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      secrets: { type: 'string' },
      port: { type: 'string', default: '3000' },
      db: { type: 'string', default: 'webhook-secrets.db' },
      every: { type: 'string', default: '600' },
      since: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { secrets: file } = values;
  if (values.help || file === undefined) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const readSecrets = async () => (await readFile(file, 'utf8')).split(/\s+/).filter(Boolean);
  if ((await readSecrets()).length === 0) throw new Error(`${file} contains no secret.`);
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  await store.setup();
  const inbox = createWebhookInbox({
    secret: readSecrets,
    store,
    on: { default: handle },
    onRejected: ({ code }) => {
      console.error(`refused a delivery: ${code}. If the secret was replaced, add the new one to ${file}.`);
    },
  });
  const stop = stopSignal();
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? String(address?.port) : address}`);
  const worker = inbox.start({ pollMs: 200 });
  // The service delivers an event three times. If all three were refused, only the list still shows its post.
  while (!stop.aborted) {
    try {
      const since = values.since ?? new Date(Date.now() - 24 * 3_600_000);
      const { recovered } = await inbox.catchUp({ client, since });
      if (recovered > 0) console.log(`recovered ${String(recovered)} events`);
    } catch (error) {
      console.error(`catchUp failed, and will run again: ${error instanceof Error ? error.message : String(error)}`);
    }
    await sleep(Number(values.every) * 1_000, undefined, { signal: stop }).catch(() => undefined);
  }
  server.close();
  await worker.stop();
  await store.close();
  return 0;
}

function handle(event: InboxEvent): void {
  console.log(`handled ${event.type} ${event.known ? event.data.post.id : ''}`);
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
