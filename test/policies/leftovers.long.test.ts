import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { json, raw, silence, WireServer } from '../support/wire-server.js';
import { free } from './calls.js';
import { rejection, testClient, testKey } from './client.js';

const hour = 3_600_000;

const until = (condition: () => boolean) => expect.poll(condition, { interval: 2 }).toBe(true);

/** Timers and sockets that keep the process alive. */
const active = () => process.getActiveResourcesInfo().filter((name) => /Timeout|TCP|TLS/.test(name)).length;

it('leaves no listener, timer or socket after 1,000 calls that share one signal, with any result', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const kinds = [
    json(free.good, 200, [['connection', 'close']]),
    json({ success: false }, 400, [['connection', 'close']]),
    json({ success: false }, 500, [['connection', 'close']]),
    raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{', 'reset'),
    raw('no HTTP\r\n\r\n', 'end'),
    silence,
  ];
  const server = await WireServer.open((_, index) => kinds[index % kinds.length] ?? silence);
  const { client } = testClient(server.url, { timeoutMs: 80, maxRetries: 1 });
  const { signal } = new AbortController();
  const before = active();

  let settled = 0;
  for (let batch = 0; batch < 10; batch += 1) {
    const calls = Array.from({ length: 100 }, () =>
      client.posts.list({}, { signal }).then(
        () => (settled += 1),
        () => (settled += 1),
      ),
    );
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  }
  process.off('warning', onWarning);

  expect(settled).toBe(1_000);
  expect(warnings).toEqual([]);
  await server.allClosed();
  await server.close(); // Sockets that Node connected in stead of destroyed ones, and the server's own.
  await until(() => active() <= before);
});

it('leaves no listener, timer or socket after 1,000 calls that one abort ended', async () => {
  const server = await WireServer.open(() => silence);
  const before = active();
  const client = new SocialPublishing({
    baseUrl: server.url,
    accessKey: testKey,
    timeoutMs: hour,
    totalTimeoutMs: hour,
  });
  const controller = new AbortController();
  const calls = Array.from({ length: 1_000 }, () => rejection(client.posts.list({}, { signal: controller.signal })));
  await until(() => server.requests.length === 1_000);
  controller.abort('enough');
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['enough']));
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  await server.allClosed();
  await server.close();
  await until(() => active() <= before);
});
