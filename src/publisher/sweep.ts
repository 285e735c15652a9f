/** What is due, and what an event is about: several intents at once, with few requests. */
import { ConfigurationError } from '../core/errors.js';
import type { KnownWebhookEvent, WebhookEvent } from '../model/events.js';
import { intentPrefix } from './codec.js';
import { wireOf } from './content.js';
import type { Engine } from './engine.js';
import type { Versioned } from './intents.js';
import { newsOfEvent } from './news.js';
import { inParallel } from './parallel.js';
import type { IntentRecord } from './record.js';
import { lookAtLeastEveryMs } from './wake.js';

/** How many intents are sent side by side. */
const concurrency = 8;
/** How many intents in doubt one event may prompt a look for. */
const mostPrompted = 100;

/** Resumes what is due. Those that are only to be looked for share their walks over the list. */
export async function sweep(engine: Engine, limit: number): Promise<IntentRecord[]> {
  const due = await readDue(engine, engine.now(), limit);
  const moved: IntentRecord[] = [];
  const toLookFor: IntentRecord[] = [];
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  };
  await inParallel(due, concurrency, (read) =>
    attempt(async () => {
      if (isLookedFor(engine, read)) toLookFor.push(read.record);
      else moved.push((await engine.advance(read, true)).record);
    }),
  );
  await attempt(async () => {
    const steps = await engine.look(toLookFor.map((record) => ({ record, own: false })));
    const missing = [...steps.values()].filter(({ todo }) => todo === 'resume').map(({ record }) => record.key);
    for (const { record, todo } of steps.values()) if (todo !== 'resume') moved.push(record);
    await inParallel(missing, concurrency, async (key) => {
      const read = await engine.intents.read(key);
      if (read !== undefined) moved.push((await engine.advance(read, true)).record);
    });
  });
  if (failures.length > 0) throw failures[0];
  return moved;
}

/** Asks the state machine; no mark is made of the answer. */
function isLookedFor({ intents, settings }: Engine, { record }: Versioned): boolean {
  return intents.step(record, { type: 'resume', at: settings.now(), owner: '', force: true }).todo === 'look';
}

/** What is due, oldest first. What a newer version wrote is left to it, and takes no place of the others. */
async function readDue({ intents, settings }: Engine, now: number, limit: number): Promise<Versioned[]> {
  const due: Versioned[] = [];
  const seen = new Set<string>();
  for (let foreign = 0; ;) {
    const keys = await settings.store.due(intentPrefix, now, limit + foreign);
    const before = foreign;
    await inParallel(
      keys.filter((key) => !seen.has(key)),
      concurrency,
      async (key) => {
        seen.add(key);
        try {
          const read = await intents.read(key.slice(intentPrefix.length));
          if (read !== undefined) due.push(read);
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error;
          foreign += 1;
        }
      },
    );
    if (foreign === before || keys.length < limit + before) return due;
  }
}

/** Takes an event. The key of the intent that its post belongs to. */
export async function observe(engine: Engine, event: WebhookEvent): Promise<string | undefined> {
  if (!event.known) return undefined;
  const news = newsOfEvent(event);
  let key = await engine.claims.ownerOf(news.postId);
  if (key === undefined) {
    await lookForDoubtful(engine, event);
    key = await engine.claims.ownerOf(news.postId);
  }
  if (key !== undefined) await engine.intents.apply(key, { type: 'told', at: engine.now(), news });
  return key;
}

/** Nobody's post may be one in doubt. All of those wake within the hour, so that they need not be searched for. */
async function lookForDoubtful(engine: Engine, event: KnownWebhookEvent): Promise<void> {
  const { content = '' } = event.data.post;
  const reads = await readDue(engine, engine.now() + lookAtLeastEveryMs, mostPrompted);
  const doubtful = reads.filter(
    (read) =>
      isLookedFor(engine, read) &&
      read.record.postId === undefined &&
      (wireOf(read.record)['content'] ?? '') === content,
  );
  if (doubtful.length > 0) await engine.look(doubtful.map(({ record }) => ({ record, own: false })));
}
