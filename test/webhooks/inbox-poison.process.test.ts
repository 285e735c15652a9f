import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWebhookInbox, signWebhook } from '../../src/webhooks/index.js';
import { openStore } from '../stores/open-store.js';
import { bundleProgram } from '../support/bundle-program.js';
import type { PoisonTask } from './poison-process.js';
import { published, secret } from './verify-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const leaseMs = 60_000;
const ids = ['evt_a', 'evt_b', 'evt_poison', 'evt_c'];

/** Runs a worker until it ends. */
async function run(task: PoisonTask): Promise<{ code: number | null; signal: string | null; log: string }> {
  const program = bundleProgram('test/webhooks/poison-process.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, log };
}

it.each(['exit', 'abort'] as const)(
  'an event whose handler calls process.%s() dies alone: its three neighbours are handled, each once',
  { timeout: 300_000 },
  async (end) => {
    const folder = temporaryFolder('inbox-poison');
    const spec = { kind: 'libsql', file: join(folder, 'inbox.db') } as const;
    const store = await openStore(spec);
    try {
      await store.setup?.();
      let now = Date.now();
      const inbox = createWebhookInbox({ secret, store, now: () => now, on: {} });
      for (const id of ids) {
        const body = JSON.stringify({ ...published, id, data: { ...published.data, post: { id: `post_${id}` } } });
        const request = { method: 'POST', body, headers: await signWebhook({ body, secret }) };
        expect((await inbox.fetch(new Request('https://inbox.test/', request))).status).toBe(200);
      }
      // The first process has all four in their handlers when it ends. It is started again until it survives.
      let ends = 0;
      const start = (neighbours: number) => run({ spec, secret, now, end, neighbours });
      for (let ended = await start(3); ended.code !== 0 && ends < 20; ended = await start(0)) {
        expect(ended, ended.log).toMatchObject(end === 'exit' ? { code: 7 } : { signal: 'SIGABRT' });
        ends += 1;
        now += leaseMs;
      }
      const keys = async (prefix: string) =>
        (await store.scan(prefix, undefined, 100)).map(({ key }) => key.split('/')[1] ?? '').sort();
      const dead: string[] = [];
      for await (const { id } of inbox.dead()) dead.push(id);
      expect({ ends, dead, handled: await keys('handled/') }).toEqual({
        ends: 10,
        dead: ['evt_poison'],
        handled: ['evt_a', 'evt_b', 'evt_c'],
      });
      expect((await keys('started/')).filter((id) => id === 'evt_poison')).toHaveLength(10);
    } finally {
      await store.close?.();
    }
  },
);
