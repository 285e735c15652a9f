import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('a Redis that takes connections and answers nothing', () => {
  let server: Server;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${String(port)}`);
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', 'key');
    vi.spyOn(console, 'error').mockReturnValue();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  it('ends what the store and the queues ask of it, and not what a worker waits for', async () => {
    const { bull, events, intents, store, close } = await import('../../../examples/bullmq/app.js');
    const read = expect(store.get('key')).rejects.toThrow(/Command timed out/);
    await vi.advanceTimersByTimeAsync(60_000);
    await read;
    for (const queue of [intents, events]) expect(queue.opts.connection).toHaveProperty('commandTimeout', 5_000);
    // BLPOP and its like answer when there is something.
    expect(bull.connection).not.toHaveProperty('commandTimeout');
    void close();
  });
});

it.each(['redis://:hush#h@127.0.0.1:6379', 'redis://:hush@127.0.0.1:6379x', ':hush@127.0.0.1:6379'])(
  'does not show the password of a REDIS_URL that is none: %s',
  async (url) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'examples/bullmq/enqueue.ts'], {
      cwd: root,
      env: {
        ...process.env,
        REDIS_URL: url,
        SOCIAL_PUBLISHING_BASE_URL: 'http://127.0.0.1:1',
        SOCIAL_PUBLISHING_ACCESS_KEY: 'key',
      },
    });
    const [err, out] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
    expect(err).toContain('REDIS_URL');
    expect(err + out).not.toContain('hush');
    expect(child.exitCode).toBe(1);
  },
);
