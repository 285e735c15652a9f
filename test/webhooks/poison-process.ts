/**
 * A process with a worker of an inbox. The handler of the event `evt_poison` ends the process. It exits with 0 when
 * nothing is due any more. Argument: its settings, as JSON.
 */
import { createWebhookInbox } from '../../src/webhooks/index.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';

export interface PoisonTask {
  readonly spec: StoreSpec;
  readonly secret: string;
  readonly now: number;
  readonly end: 'exit' | 'abort';
  /** The number of neighbours that the handler waits for, and that it ends together with itself. */
  readonly neighbours: number;
}

const { spec, secret, now, end, neighbours } = JSON.parse(process.argv[2] ?? '') as PoisonTask;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const store = await openStore(spec);
let started = 0;

async function poison(): Promise<void> {
  while (started < neighbours) await pause(5);
  // The neighbours that were started in the same round are in their handlers now.
  await pause(20);
  if (end === 'abort') process.abort();
  process.exit(7);
}

const inbox = createWebhookInbox({
  secret,
  store,
  now: () => now,
  on: {
    default: async ({ id }) => {
      await store.insert(`started/${id}/${crypto.randomUUID()}`, '', null);
      if (id === 'evt_poison') await poison();
      started += 1;
      await pause(neighbours > 0 ? 3_600_000 : 200);
      await store.insert(`handled/${id}/${crypto.randomUUID()}`, '', null);
    },
  },
});
const worker = inbox.start({ concurrency: 4, pollMs: 5 });
while ((await store.due('inbox/event/', now, 1)).length > 0) await pause(5);
await worker.stop();
process.exit();
