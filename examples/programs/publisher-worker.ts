/**
 * Sends the intents that other processes wrote, and reads their results: a worker loop around `publisher.sweep`. Several
 * workers can share a store. A crash loses nothing.
 *
 *     npx tsx examples/programs/publisher-worker.ts --db publishing.db --every 30
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). Your application
 * writes the intents with `publisher.enqueue` into the same file. On several machines, use a PostgresStore or a RedisStore.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Intent, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: publisher-worker [--db FILE] [--every SECONDS]

  --db FILE        the file of the store (default publishing.db)
  --every SECONDS  the pause between two sweeps (default 30)

It logs one line per change, and writes to stderr when more intents are late (still open 15 minutes after their time).
Ctrl-C or SIGTERM ends it after the current sends. A second signal ends it at once, and the next start continues.
Exits with 0; 1 if it could not start; 2 if intents are in doubt and wait for your decision.`;

/** The most intents in one sweep. After a full sweep, more are due. */
const limit = 100;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      db: { type: 'string', default: 'publishing.db' },
      every: { type: 'string', default: '30' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const seconds = Number(values.every);
  if (!(seconds > 0)) throw new Error(`--every must be a number of seconds above 0, not ${values.every}.`);
  const store = new SqliteStore(values.db);
  try {
    const publisher = createPublisher({
      client: new SocialPublishing(),
      store,
      onChange: (intent) => {
        console.log(line(intent));
      },
    });
    await store.setup();
    const stop = stopSignal();
    console.log(`sweeping every ${String(seconds)} s`);
    await work(publisher, seconds * 1000, stop);
    return await reportDoubts(publisher);
  } finally {
    await store.close();
  }
}

/** Aborts at the first SIGINT or SIGTERM. The second one ends the process, as without a listener. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}

async function work(publisher: Publisher, pauseMs: number, stop: AbortSignal): Promise<void> {
  let late = 0;
  while (!stop.aborted) {
    const swept = await sweep(publisher, stop);
    if (swept === limit) continue;
    late = await alertIfLate(publisher, late);
    // The signal ends the pause early.
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Resolves to the number of intents. A store that fails does not end the worker: the next sweep tries again. */
async function sweep(publisher: Publisher, stop: AbortSignal): Promise<number> {
  try {
    // While the service is down, a sweep waits for it. The signal ends the wait.
    return (await publisher.sweep({ limit, signal: stop })).length;
  } catch (error) {
    if (error === stop.reason) return 0;
    console.error(`The sweep failed: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}

/** Replace this with your own alert. It repeats only if the number of late intents grows. Resolves to that number. */
async function alertIfLate(publisher: Publisher, before: number): Promise<number> {
  try {
    const { overdue } = await publisher.stats();
    if (overdue > before) console.error(`${String(overdue)} intents are late:`);
    if (overdue > before) for await (const intent of publisher.list({ overdue: true })) console.error(line(intent));
    return overdue;
  } catch (error) {
    console.error(`The store failed: ${error instanceof Error ? error.message : String(error)}`);
    return before;
  }
}

const line = ({ key, state, postId, error }: Intent): string =>
  [key, state, postId, error?.message].filter((part) => part !== undefined).join('  ');

async function reportDoubts(publisher: Publisher): Promise<number> {
  let doubts = 0;
  for await (const { key } of publisher.list({ state: 'in_doubt' })) {
    doubts += 1;
    console.error(`${key} is in doubt: 10 minutes after its send, check the dashboard, then call publisher.resolve`);
  }
  return doubts === 0 ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
