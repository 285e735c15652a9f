import { deepEqual } from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { ApiError, SocialPublishing } from '../../../src/index.js';
import { driverFolder, nodePath } from '../../handles/folder.js';
import { freePort } from '../../support/temporary-servers.js';

const accessKey = 'key-of-the-preview';
/** The kinds of changes that the stream of events must show. */
const streamed: readonly string[] = ['delivery', 'post', 'request'];

/**
 * Builds a Next.js app with `emulatorRoute`, starts it, and uses the route: the SDK, webhooks, the console and its stream of
 * events. Also opens a page that publishes: neither the build nor a cache of Next.js may answer in place of the service.
 * Resolves to `undefined` if the package is not built.
 */
export async function runNextEmulator(): Promise<object | undefined> {
  if (!existsSync('dist/emulator.js')) return undefined;
  const service = createEmulator({ accessKey: 'key' });
  const served = await serveEmulator(service);
  try {
    return await runApp(service, served.url);
  } finally {
    await served.close();
  }
}

async function runApp(service: Emulator, serviceUrl: string): Promise<object> {
  const app = copyApp();
  // `next dev` refuses the NODE_ENV of a build, which Vite sets in this process.
  const { NODE_ENV: _, ...inherited } = process.env;
  const settings = { NEXT_TELEMETRY_DISABLED: '1', EMULATOR_KEY: accessKey, CI: '1', SERVICE_URL: serviceUrl };
  const env = { ...inherited, ...settings };
  const next = join(driverFolder, 'node_modules/next/dist/bin/next');
  await promisify(execFile)(nodePath(), [next, 'build'], { cwd: app, env, timeout: 400_000 });
  const built = service.posts.length;
  const disabled = await useServer([next, 'start'], { app, env }, async ({ url }) => ({
    route: await statusOf(`${url}/v1/posts/`),
    pages: [await publishedBy(url), await publishedBy(url)],
  }));
  const enabled = await useServer([next, 'start'], { app, env: { ...env, EMULATOR: 'on' } }, useRoute);
  const dev = await useServer([next, 'dev'], { app, env: { ...env, EMULATOR: 'on' } }, useRoute);
  const right = { posted: 'published', isListed: true, wrongKey: 401, deliveries: 1, console: 200, events: streamed };
  const found = { built, disabled, start: enabled, dev };
  const [first, second] = service.posts.map(({ postId }) => `${postId} of`);
  deepEqual(found, {
    built: 0,
    disabled: { route: 404, pages: [`${first ?? ''} 1 posts.`, `${second ?? ''} 2 posts.`] },
    start: right,
    dev: right,
  });
  return found;
}

/** The app in a folder below the installed packages, with the built package. */
function copyApp(): string {
  const app = join(driverFolder, 'next-app');
  rmSync(app, { recursive: true, force: true });
  cpSync('test/examples/elsewhere/next-app', app, { recursive: true });
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'next-app', private: true }));
  const own = join(app, 'node_modules/social-publishing');
  mkdirSync(own, { recursive: true });
  cpSync('dist', join(own, 'dist'), { recursive: true });
  cpSync('package.json', join(own, 'package.json'));
  cpSync('node_modules/zod', join(app, 'node_modules/zod'), { recursive: true, dereference: true });
  return app;
}

interface Started {
  /** The address of the route. */
  readonly url: string;
}

async function useServer<T>(
  [program, command]: readonly [string, string],
  { app, env }: { readonly app: string; readonly env: Readonly<Record<string, string | undefined>> },
  use: (started: Started) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const server = spawn(nodePath(), [program, command, '--port', String(port), '--hostname', '127.0.0.1'], {
    ...{ cwd: app, env, stdio: ['ignore', 'ignore', 'inherit'] as const, detached: true },
  });
  const url = `http://127.0.0.1:${String(port)}/api/emulator`;
  try {
    await untilItAnswers(server, url);
    return await use({ url });
  } finally {
    await stop(server);
  }
}

async function untilItAnswers(server: ChildProcess, url: string): Promise<void> {
  const giveUpAt = Date.now() + 120_000;
  while (Date.now() < giveUpAt && server.exitCode === null) {
    if ((await fetch(url).catch(() => undefined)) !== undefined) return;
    await sleep(200);
  }
  throw new Error('Next.js did not start.');
}

/** Next.js has child processes. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.pid === undefined) return;
  const end = once(server, 'exit');
  process.kill(-server.pid, 'SIGKILL');
  await end;
}

async function useRoute({ url }: Started): Promise<object> {
  const deliveries: string[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => deliveries.push(body));
    response.end();
  });
  const hook = await freePort();
  await once(receiver.listen(hook, '127.0.0.1'), 'listening');
  const events = streamEvents(`${url}/_emulator/events`);
  try {
    const client = new SocialPublishing({ baseUrl: url, accessKey });
    const [account] = await client.integrations.list({ platform: 'bluesky' }).toArray();
    if (account === undefined) throw new Error('The demo data has no account.');
    await client.notifications.create({
      channel: 'webhook',
      eventTypes: ['post.published'],
      webhook: { url: `http://127.0.0.1:${String(hook)}/` },
    });
    const post = await client.posts.create({
      content: 'Through a route of Next.js',
      publishNow: true,
      platforms: [{ platform: 'bluesky', accountId: account.id }],
    });
    const final = await client.posts.waitUntilFinal(post, { pollMs: 200 });
    // Posts of the demo data are published meanwhile, too.
    const ofPost = () => deliveries.filter((body) => body.includes(post.postId));
    for (let i = 0; i < 50 && ofPost().length === 0; i += 1) await sleep(100);
    const listed = await client.posts.list().toArray();
    const wrongKey = await client
      .withOptions({ accessKey: 'another-key' })
      .posts.list()
      .toArray()
      .then(() => 'accepted')
      .catch((error: unknown) => (error instanceof ApiError ? error.status : String(error)));
    return {
      ...{ posted: final.status, isListed: listed.some(({ postId }) => postId === post.postId), wrongKey },
      ...{ deliveries: ofPost().length, events: await events, console: await statusOf(`${url}/console`) },
    };
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

/** What the page that publishes shows. */
async function publishedBy(route: string): Promise<string> {
  const html = await (await fetch(new URL('/published', route))).text();
  return /\w+ of \d+ posts\./.exec(html)?.[0] ?? html;
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url, { headers: { 'x-access-key': accessKey } })).status;
}

/** Resolves to the kinds of changes that the stream shows while it is open. */
async function streamEvents(url: string): Promise<string[]> {
  const reply = await fetch(url, { headers: { 'x-access-key': accessKey } });
  if (reply.body === null) throw new Error(`The stream answered ${String(reply.status)}.`);
  const names = new Set<string>();
  let read = '';
  for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) {
    read += chunk;
    for (const [, name = ''] of read.matchAll(/^event: (\S+)$/gm)) names.add(name);
    if (streamed.every((name) => names.has(name))) break; // Also closes the stream.
  }
  return streamed.filter((name) => names.has(name));
}
