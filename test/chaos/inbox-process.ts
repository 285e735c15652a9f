/**
 * An inbox of a chaos run. Its handler appends each handled event to a file before it returns, so the file survives a
 * crash of the process. Argument: an {@link InboxTask} as JSON.
 */
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SocialPublishing } from '../../src/index.js';
import { createWebhookInbox, type InboxEvent } from '../../src/webhooks/index.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';

export interface InboxTask {
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  readonly secret: string;
  /** The port for deliveries. Missing: it handles events that another process receives. */
  readonly port?: number | undefined;
  readonly leaseMs: number;
  readonly log: string;
}

/** An order to an inbox: search for posts that became final since a time, in milliseconds since 1970. */
export interface InboxOrder {
  readonly catchUp: number;
}

/** A message of an inbox: it is ready, or it has caught up (`false`: it could not). */
export type InboxNews = 'ready' | { readonly caughtUp: boolean };

/** The number of events that a process handles at once. */
export const inboxConcurrency = 4;

async function main(): Promise<void> {
  const { spec, baseUrl, secret, port, leaseMs, log: file } = JSON.parse(process.argv[2] ?? '') as InboxTask;
  const log = openSync(file, 'a');
  const store = await openStore(spec);
  const handle = async (event: InboxEvent) => {
    // Kills can happen here, too.
    await sleep(Math.random() * 5);
    if (event.known) writeSync(log, `${event.id} ${event.data.post.id} ${event.type} ${Date.now()}\n`);
  };
  const onError = (error: unknown) => {
    // The store's server restarts: the events stay due.
    writeSync(log, `# ${String(error).replaceAll('\n', ' ')}\n`);
  };
  const inbox = createWebhookInbox({ secret, store, leaseMs, onError, on: { default: handle } });
  const client = new SocialPublishing({ baseUrl, accessKey: 'test-key', timeoutMs: 10_000 });
  const tell = (news: InboxNews) => process.send?.(news);
  process.on('message', ({ catchUp }: InboxOrder) => {
    void inbox.catchUp({ client, since: new Date(catchUp) }).then(
      () => tell({ caughtUp: true }),
      () => tell({ caughtUp: false }),
    );
  });
  process.on('disconnect', () => process.exit());
  if (port !== undefined) {
    const server = createServer((request, response) => void inbox.node(request, response));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  }
  inbox.start({ concurrency: inboxConcurrency, pollMs: 100 });
  tell('ready');
}

void main();
