import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/index.js';
import { freePort } from '../support/temporary-servers.js';
import type { Campaign } from './programs/campaign.js';

/** A program that publishes a campaign. */
export interface Publishing {
  /** Resolves once it publishes. */
  readonly ready: Promise<void>;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** The state of each intent, at the end. */
  readonly states: Promise<Record<string, string>>;
}

/** The results after the kills. */
export interface KillCount {
  readonly kills: number;
  readonly intents: number;
  readonly posts: number;
  /** Intents with more than one post. */
  readonly doubled: number;
  readonly held: number;
  /** Intents that are held although they have a post, or that are neither held nor published. */
  readonly wrong: number;
  /** Posts whose final event a handler handled. */
  readonly eventsHandled: number;
  /** Posts whose final event no handler handled. */
  readonly eventsLost: number;
}

const intents = 200;
const kills = 12;

/**
 * Publishes a campaign in programs that are killed at random times, then in one that runs to its end, and counts the
 * posts and their events. Each program also receives events.
 */
export async function countKills(
  start: (campaign: Campaign) => Publishing,
  { webhookQuery = '' }: { readonly webhookQuery?: string } = {},
): Promise<KillCount> {
  const service = createEmulator({ now: () => Date.now() });
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  // Slow, so that kills strike while creates are under way.
  service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 25 });
  const served = await serveEmulator(service, { realTime: true });
  const handled = new Set<string>();
  const collector = await collectPosts(handled);
  const port = await freePort();
  const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published', 'post.partial', 'post.failed'],
    webhook: { url: `http://127.0.0.1:${String(port)}/webhooks${webhookQuery}` },
  });
  const events = { secret: webhook?.secret ?? '', port, collector: collector.url };
  const campaign = { baseUrl: served.url, accountId, intents, events };
  let killed = 0;
  try {
    while (killed < kills) {
      const program = start(campaign);
      const isOver = program.states.then(
        () => true,
        () => true,
      );
      await Promise.race([program.ready, isOver]);
      if (await Promise.race([isOver, sleep(20 + Math.random() * 250).then(() => false)])) break;
      await program.kill();
      killed += 1;
    }
    const states = await start(campaign).states;
    return {
      kills: killed,
      ...countIntents(
        states,
        service.posts.map(({ content }) => String(content)),
        intents,
      ),
      eventsHandled: service.posts.filter(({ postId }) => handled.has(postId)).length,
      eventsLost: service.posts.filter(({ postId }) => !handled.has(postId)).length,
    };
  } finally {
    collector.close();
    await served.close();
  }
}

/** A server that receives the ID of a post in each request. */
async function collectPosts(posts: Set<string>): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer((request, response) => {
    void text(request).then((id) => {
      posts.add(id);
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param good the states of an intent with a post */
export function countIntents(
  states: Readonly<Record<string, string>>,
  contents: readonly string[],
  expected: number,
  good: readonly string[] = ['accepted', 'published'],
): Omit<KillCount, 'kills' | 'eventsHandled' | 'eventsLost'> {
  const postsOf = new Map<string, number>();
  for (const content of contents) postsOf.set(content, (postsOf.get(content) ?? 0) + 1);
  const held = Object.keys(states).filter((key) => states[key] === 'in_doubt');
  const isPublished = (key: string) => good.includes(states[key] ?? '');
  const published = Object.keys(states).filter(isPublished);
  const wrong = [
    ...held.filter((key) => postsOf.has(key)),
    ...published.filter((key) => !postsOf.has(key)),
    ...Object.keys(states).filter((key) => states[key] !== 'in_doubt' && !isPublished(key)),
  ];
  return {
    intents: Object.keys(states).length,
    posts: contents.length,
    doubled: [...postsOf.values()].filter((posts) => posts > 1).length,
    held: held.length,
    wrong: wrong.length + Math.abs(expected - Object.keys(states).length),
  };
}
