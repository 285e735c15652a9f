import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../../src/emulator/index.js';
import { createPublisher, type IntentState, type Publisher } from '../../../src/publisher/index.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { Campaign, type CommandOf } from './campaign.js';

/** An example of a job engine. */
export interface Engine {
  readonly commandOf: CommandOf;
  readonly env: Readonly<Record<string, string>>;
  /** The arguments of each worker. */
  readonly workers: readonly (readonly string[])[];
  readonly name: string;
  /** The store of the example, with a function that closes it and removes its data. */
  readonly open: () => { readonly store: DurableStore; readonly close: () => Promise<void> };
}

/** The results after the kills. */
export interface EngineCount {
  readonly kills: number;
  readonly intents: number;
  readonly posts: number;
  /** Posts with the content of another post. */
  readonly doubled: number;
  /** Intents that an operator decided as not sent. */
  readonly held: number;
  /** Held intents that have a post. */
  readonly heldWithPost: number;
  readonly published: number;
  /** Posts whose final event a handler handled, and the others. */
  readonly eventsHandled: number;
  readonly eventsLost: number;
}

const intents = 120;
const kills = 12;
const latencyMs = 1_500;

/**
 * Publishes a campaign through an example, while its workers and receivers are killed at random and replies are lost.
 * An operator decides the intents that are held, and the workers publish them too.
 */
export async function runEngine(engine: Engine): Promise<EngineCount> {
  const campaign = await Campaign.start(engine.commandOf, engine.env);
  const { store, close } = engine.open();
  try {
    return await publishAndKill(campaign, engine, createPublisher({ client: campaign.client, store, leaseMs: 2000 }));
  } finally {
    await campaign.stop();
    await close();
  }
}

async function publishAndKill(campaign: Campaign, engine: Engine, publisher: Publisher): Promise<EngineCount> {
  const { service } = campaign;
  // Slow, so that most kills strike while creates are under way.
  service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs });
  service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', probability: 0.1 });
  await campaign.run('enqueue', engine.name, String(intents));
  const workers = engine.workers.map((args) => campaign.run('worker', ...args));
  await Promise.all([campaign.run('receiver'), ...workers]);
  for (let i = 0; i < kills; i += 1) {
    await sleep(Math.random() * 600);
    await campaign.killOne(i % 6 === 5 ? 'receiver' : 'worker');
  }
  service.faults.clear();
  const atRest = () =>
    campaign.until('every intent is published or held', async () => {
      const counts = await countStates(publisher);
      return counts('published') + counts('in_doubt') === intents;
    });
  await atRest();
  // A create of a killed worker may have been executed after the search for it: all have arrived by now.
  await sleep(latencyMs);
  for await (const { key } of publisher.list({ state: 'in_doubt' })) await publisher.resume(key);
  await atRest();
  const contents = () => service.posts.map(({ content }) => String(content));
  const held: string[] = [];
  let heldWithPost = 0;
  for await (const { key, body } of publisher.list({ state: 'in_doubt' })) {
    held.push(key);
    if (contents().includes(String(body.content))) heldWithPost += 1;
  }
  // They have no post, so an operator may decide this.
  for (const key of held) await publisher.resolve(key, { as: 'not_sent' });
  await campaign.until(
    'every intent is published',
    async () => (await countStates(publisher))('published') === intents,
    120_000,
  );
  const eventsHandled = () => handledPosts(service, campaign.log).size;
  await campaign.until('every event is handled', () => Promise.resolve(eventsHandled() === service.posts.length));
  return {
    ...{ kills, intents, posts: contents().length, doubled: contents().length - new Set(contents()).size },
    ...{ held: held.length, heldWithPost, published: (await countStates(publisher))('published') },
    ...{ eventsHandled: eventsHandled(), eventsLost: service.posts.length - eventsHandled() },
  };
}

async function countStates(publisher: Publisher): Promise<(state: IntentState) => number> {
  const counts = new Map<IntentState, number>();
  for await (const { state } of publisher.list()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (state) => counts.get(state) ?? 0;
}

/** The IDs of posts whose event a program printed: `post.published event_7 key`. */
function handledPosts(service: Emulator, log: string): ReadonlySet<string> {
  const postOf = new Map(service.deliveries.map(({ eventId, body }) => [eventId, postOfEvent(body)]));
  const posts = new Set<string>();
  for (const [, id = ''] of log.matchAll(/post\.published (\S+)/g)) {
    const [, recovered] = /^recovered_(.+)_published$/.exec(id) ?? [];
    const post = recovered ?? postOf.get(id);
    if (post !== undefined) posts.add(post);
  }
  return posts;
}

function postOfEvent(body: string): string {
  return (JSON.parse(body) as { data: { post: { id: string } } }).data.post.id;
}
