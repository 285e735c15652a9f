import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';

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

  it('limits the time of commands of the store and the queues, but not the wait of a worker', async () => {
    const { bull, events, intents, store, close } = await import('../../bullmq/app.js');
    const failed: unknown[] = [];
    store.get('key').catch((error: unknown) => failed.push(error));
    // The read waits for the socket, too, before its next timer.
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      expect(String(failed[0])).toMatch(/Command timed out/);
    });
    for (const queue of [intents, events]) expect(queue.opts.connection).toHaveProperty('commandTimeout', 5_000);
    // BLPOP and its like answer when there is something.
    expect(bull.connection).not.toHaveProperty('commandTimeout');
    void close();
  });
});
