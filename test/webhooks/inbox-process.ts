/**
 * An inbox in a separate process, which a test kills. It reports its port, and then answers the test's messages.
 * Argument: its settings, as JSON.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SocialPublishing } from '../../src/index.js';
import { createWebhookInbox } from '../../src/webhooks/index.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { storeWith } from '../support/stores.js';

export interface InboxTask {
  readonly spec: StoreSpec;
  readonly secret: string;
  readonly baseUrl: string;
  /** The start of the downtime, in milliseconds since 1970. */
  readonly since: number;
  /** The point at which it kills itself: in a handler, or in `catchUp` once a number of events are written. */
  readonly dieAt?: 'handler' | number | undefined;
}

/** A question of a test, answered with the same `ask`. */
export type InboxQuestion = 'catchUp' | 'handled';

const { spec, secret, baseUrl, since, dieAt } = JSON.parse(process.argv[2] ?? '') as InboxTask;
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const store = await openStore(spec);
await store.setup?.();
const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const die = () => process.kill(process.pid, 'SIGKILL');
let recovered = 0;

/** The store, which ends the process in the midst of `catchUp`. */
const mortal = storeWith(store, {
  insert: async (key, data, wakeAt) => {
    const version = await store.insert(key, data, wakeAt);
    if (key.includes('/recovered_') && (recovered += 1) === dieAt) die();
    return version;
  },
});

const inbox = createWebhookInbox({
  secret,
  store: mortal,
  leaseMs: 1500,
  on: {
    default: async (event) => {
      if (dieAt === 'handler') die();
      // Kills strike here, too.
      await pause(Math.random() * 30);
      // A write in the store is final, even if this process dies.
      if (event.known) await store.insert(`handled/${event.data.post.id}/${crypto.randomUUID()}`, event.id, null);
    },
  },
});
inbox.start({ concurrency: 3, pollMs: 50 });

/** The posts whose events were handled to the end, one entry for each time. */
async function handled(): Promise<string[]> {
  const posts: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.scan('handled/', after, 100);
    posts.push(...page.map(({ key }) => key.split('/')[1] ?? ''));
    after = page.at(-1)?.key;
    if (page.length < 100) return posts;
  }
}

process.on('message', (ask: InboxQuestion) => {
  const answer = ask === 'handled' ? handled() : inbox.catchUp({ client, since: new Date(since) });
  void answer.then(
    (value) => process.send?.({ ask, value }),
    (error: unknown) => process.send?.({ ask, error: String(error) }),
  );
});

const server = createServer((request, response) => void inbox.node(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
