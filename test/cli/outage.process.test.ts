/** The command meets a service that is down: a real socket that refuses connections, then listens again. */
import { writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { startCommand, type Started } from './command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const hasSqlite = isBuiltin('node:sqlite');
const count = 20;
const concurrency = 2;

let folder: string;
let service: Emulator;
let served: Awaited<ReturnType<typeof serveEmulator>>;
let file: string;
let started: Started[];

beforeEach(async () => {
  started = [];
  folder = temporaryFolder('cli-outage');
  service = createEmulator({ accessKey: 'key' });
  served = await serveEmulator(service, { realTime: true });
  const { id } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  file = join(folder, 'spring.csv');
  const rows = Array.from(
    { length: count },
    (_, at) => `k${String(at)},Post ${String(at)},2099-01-01T09:00:00Z,,bluesky:${id}`,
  );
  await writeFile(file, ['key,content,time,zone,targets', ...rows].join('\n'));
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await served.close();
});

function start(...args: readonly string[]): Started & { readonly err: () => string } {
  const command = startCommand(args, {
    SOCIAL_PUBLISHING_BASE_URL: served.url,
    SOCIAL_PUBLISHING_ACCESS_KEY: 'key',
    XDG_STATE_HOME: folder,
  });
  started.push(command);
  let err = '';
  command.child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return { ...command, err: () => err };
}

/** Starts a campaign, and stops the service after some posts. */
async function startUntilDown(...args: readonly string[]) {
  service.faults.add({ kind: 'latency', latencyMs: 50, route: 'POST /v1/posts/' });
  const command = start('campaign', file, '--concurrency', String(concurrency), ...args);
  await expect.poll(() => service.posts.length, { timeout: 60_000 }).toBeGreaterThan(3);
  const { port } = served;
  await served.close();
  const comeUp = async () => {
    served = await serveEmulator(service, { realTime: true, port });
  };
  await expect.poll(() => command.err(), { timeout: 60_000 }).toMatch(/waiting/i);
  return { ...command, comeUp };
}

/** Runs the campaign again: each row has one post, or is in doubt because the service ended during its request. */
async function finish(): Promise<void> {
  const { out } = await start('campaign', file, '--wait', '--json').ended;
  const { rows } = JSON.parse(out) as { readonly rows: readonly { readonly state: string }[] };
  const inDoubt = rows.filter(({ state }) => state === 'in_doubt').length;
  expect(inDoubt).toBeLessThanOrEqual(2 * concurrency);
  const posted = new Set(service.posts.map(({ content }) => content)).size;
  expect([service.posts.length, posted]).toEqual([count - inDoubt, count - inDoubt]);
}

describe.runIf(hasSqlite)('a service that is down', () => {
  it('campaign waits, shows since when, and continues', async () => {
    const { ended, comeUp } = await startUntilDown();
    await comeUp();
    const { err } = await ended;
    expect(err).toMatch(/Waiting: the service is down since \d\d:\d\d:\d\dZ, next try in 1 s\./);
    expect(service.posts.length).toBeGreaterThanOrEqual(count - 2 * concurrency);
    await finish();
  });

  it('campaign --json reports the wait as JSON', async () => {
    const { ended, comeUp, err } = await startUntilDown('--json');
    const [line = ''] = err().split('\n');
    expect(JSON.parse(line)).toEqual({ waiting: { waitingMs: 1_000, waitingSince: expect.any(String) as string } });
    await comeUp();
    await ended;
    await finish();
  });

  it('campaign ends with 130 after Ctrl-C, and the next run finishes', async () => {
    const { child, ended, comeUp } = await startUntilDown();
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect([code, err]).toEqual([130, expect.stringContaining('Run the command again')]);
    await comeUp();
    await finish();
  });

  it('intents sweep waits, and ends with 130 after Ctrl-C', async () => {
    const store = join(folder, 'store.sqlite');
    const handle = new SqliteStore(store);
    const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'key' });
    const publisher = createPublisher({ client, store: handle });
    for (let at = 0; at < count; at += 1)
      await publisher.enqueue(`k${String(at)}`, { content: `Post ${String(at)}`, saveAsDraft: true });
    await handle.close();
    const { port } = served;
    await served.close();
    const sweep = start('intents', 'sweep', '--store', store);
    await expect.poll(sweep.err, { timeout: 60_000 }).toMatch(/Waiting: the service is down/);
    sweep.child.kill('SIGINT');
    expect((await sweep.ended).code).toBe(130);
    served = await serveEmulator(service, { realTime: true, port });
    // The rows that were refused are due again after some seconds.
    await expect
      .poll(
        async () => {
          await start('intents', 'sweep', '--store', store).ended;
          return service.posts.length;
        },
        { timeout: 60_000 },
      )
      .toBe(count);
  });
});
