/** Runs examples/bun and examples/cloudflare-worker in front of the emulator, kills them at random, and counts the posts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/index.js';
import { freePort } from '../support/temporary-servers.js';
import { bunPath, driverFolder, nodePath } from './folder.js';
import { countIntents, type KillCount } from './kills.js';
import { run } from './start.js';

/** The results of a run. */
export type ExampleCount = Omit<KillCount, 'eventsHandled' | 'eventsLost'>;

/** The environment of an example. */
interface Surroundings {
  readonly baseUrl: string;
  readonly secret: string;
  readonly port: number;
}

/** How to start an example, and to make it sweep if it does not sweep automatically. */
interface Example {
  readonly start: (surroundings: Surroundings) => ChildProcess;
  readonly sweep?: (url: string) => Promise<unknown>;
}

const token = 'publish-token';
const intents = 60;
const kills = 8;

export function runBunExample(): Promise<ExampleCount> {
  const database = join(run, 'example-bun.db');
  return countExample({
    start: ({ baseUrl, secret, port }) =>
      spawn(bunPath(), ['run', 'examples/bun/index.ts'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
        env: {
          ...process.env,
          ...{ SOCIAL_PUBLISHING_BASE_URL: baseUrl, SOCIAL_PUBLISHING_ACCESS_KEY: 'test-key', WEBHOOK_SECRET: secret },
          ...{ DATABASE: database, PORT: String(port), LEASE_MS: '1000', SWEEP_MS: '300' },
        },
      }),
  });
}

/** Runs examples/cloudflare-worker in workerd. */
export async function runWorkerExample(): Promise<ExampleCount> {
  const worker = join(run, 'example-worker.mjs');
  await build({
    entryPoints: ['examples/cloudflare-worker/worker.ts'],
    ...{ outfile: worker, bundle: true, format: 'esm', target: 'es2022', logLevel: 'error' },
    ...{ platform: 'neutral', mainFields: ['module', 'main'], external: ['node:*'] },
  });
  return countExample({
    start: ({ baseUrl, secret, port }) => {
      const vars = {
        ...{ SOCIAL_PUBLISHING_BASE_URL: baseUrl, SOCIAL_PUBLISHING_ACCESS_KEY: 'test-key' },
        ...{ WEBHOOK_SECRET: secret, PUBLISH_TOKEN: token },
      };
      const settings = { port, bindings: vars, durableObjects: { EVENTS: { className: 'Events', useSQLite: true } } };
      const data = join(run, 'example-worker');
      return spawn(nodePath(), ['test/handles/host.mjs', driverFolder, worker, data, JSON.stringify(settings)], {
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
      });
    },
    sweep: (url) => fetch(`${url}/cdn-cgi/handler/scheduled`),
  });
}

/** Publishes a campaign through an example that is killed at random times, until every intent is final or held. */
async function countExample({ start, sweep }: Example): Promise<ExampleCount> {
  const service = createEmulator({ accessKey: 'test-key', now: () => Date.now() });
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 25 });
  const served = await serveEmulator(service, { realTime: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published', 'post.partial', 'post.failed'],
    webhook: { url: `${url}/webhooks` },
  });
  const surroundings = { baseUrl: served.url, secret: webhook?.secret ?? '', port };
  let program = await started(start(surroundings), url);
  const stop = { asked: false, isEnded: false };
  const killing = (async () => {
    let killed = 0;
    while (killed < kills && !stop.isEnded) {
      await sleep(100 + Math.random() * 400);
      await killGroup(program);
      killed += 1;
      program = await started(start(surroundings), url);
      await sweep?.(url).catch(() => undefined);
    }
    stop.asked = true;
  })();
  try {
    const states = new Map<string, string>();
    const giveUpAt = Date.now() + 120_000;
    while (Date.now() < giveUpAt && !(stop.asked && isOver(states))) {
      await publishRound(url, accountId, states);
      await sweep?.(url).catch(() => undefined);
    }
    await killing;
    return {
      kills,
      ...countIntents(
        Object.fromEntries(states),
        service.posts.map(({ content }) => String(content)),
        intents,
        ['published'],
      ),
    };
  } finally {
    stop.isEnded = true;
    await killing.catch(() => undefined);
    await killGroup(program);
    await served.close();
  }
}

/** One PUT for each intent that is not final. A program that is killed does not answer: the next round asks again. */
async function publishRound(url: string, accountId: string, states: Map<string, string>): Promise<void> {
  for (let i = 0; i < intents; i += 1) {
    const key = `intent-${String(i)}`;
    if (states.get(key) === 'published') continue;
    const body = { content: key, publishNow: true, platforms: [{ platform: 'bluesky', accountId }] };
    const state = await stateOf(`${url}/posts/${key}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (state === undefined) await sleep(20);
    else states.set(key, state);
  }
}

/** Rejects if the program is killed, also while it sends its reply. */
async function stateOf(url: string, init: RequestInit): Promise<string | undefined> {
  const reply = await fetch(url, init);
  return reply.ok ? ((await reply.json()) as { state: string }).state : undefined;
}

function isOver(states: ReadonlyMap<string, string>): boolean {
  return states.size === intents && [...states.values()].every((state) => ['published', 'in_doubt'].includes(state));
}

/** Resolves once the program answers. */
async function started(child: ChildProcess, url: string): Promise<ChildProcess> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    const reply = await fetch(`${url}/nothing`).catch(() => undefined);
    if (reply !== undefined) return child;
    if (Date.now() > giveUpAt || child.exitCode !== null) throw new Error('The example did not start.');
    await sleep(50);
  }
}

/** miniflare starts workerd as a child. */
async function killGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const end = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await end;
}
