import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { interleave, median, ratio } from './measure.js';
import { atLeastTimes, type Row } from './table.js';

const secret = 'whk_bench_5f3a9c2e7b1d4860';
const atOnce = 32;

/**
 * Measures events acknowledged per second by an inbox on SQLite, compared with a bare http server that verifies and
 * makes one insert.
 */
export async function benchInbox(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-inbox-'));
  const worker = new Worker(new URL('inbox-server.mjs', import.meta.url), { workerData: { folder, secret } });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  try {
    const [ports] = (await once(worker, 'message')) as [Readonly<Record<string, number>>];
    const subjects = Object.entries(ports).map(([name, port]) => {
      const deliveries = prepared(name);
      return { name, run: () => Promise.all(Array.from({ length: atOnce }, () => deliver(agent, port, deliveries))) };
    });
    const times = await interleave(subjects, { times: 1 });
    // Higher is better: a bare server's time divided by the inbox's.
    const found = ratio(times, 'bare', 'inbox');
    const perSecond = (name: string) => `${name} ${((1000 * atOnce) / median(times.get(name))).toFixed(0)}/s`;
    const what = `inbox on SQLite: events acknowledged, ${String(atOnce)} at once, over a bare server with one insert`;
    return [atLeastTimes(what, found, 0.6, `${perSecond('bare')}, ${perSecond('inbox')}`)];
  } finally {
    agent.destroy();
    await worker.terminate();
    rmSync(folder, { recursive: true });
  }
}

interface Prepared {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Yields signed deliveries of distinct events. They are created in batches before they are sent. */
function* prepared(name: string): Generator<Prepared, never> {
  for (let count = 0; ;) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const batch = Array.from({ length: 4000 }, () => signed(`evt_${name}_${String((count += 1))}`, timestamp));
    yield* batch;
  }
}

function signed(id: string, timestamp: string): Prepared {
  const target = { platform: 'instagram', integrationId: 'int_1', status: 'published', publishedAt: null };
  const post = { id: `post_of_${id}`, status: 'published', content: 'Hello from the bench. '.repeat(20) };
  const data = { post, platforms: Array.from({ length: 6 }, () => target) };
  const body = JSON.stringify({
    version: '1',
    id,
    type: 'post.published',
    createdAt: '2026-03-01T09:00:05.000Z',
    data,
  });
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-service-timestamp': timestamp,
      'x-service-signature': `sha256=${digest}`,
    },
  };
}

function deliver(agent: Agent, port: number, deliveries: Generator<Prepared, never>): Promise<void> {
  const { body, headers } = deliveries.next().value;
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`answered ${String(response.statusCode)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
