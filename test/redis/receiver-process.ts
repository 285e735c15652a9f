/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated store stays for this release */
/**
 * A receiver in a separate process. It records in Redis what it does with each event, and crashes on command.
 * Arguments: the kind of client, the prefix of all keys, and the lease in milliseconds.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookReceiver, type WebhookStore } from '../../src/webhooks/index.js';
import { RedisWebhookStore, type IoRedisClient, type NodeRedisClient } from '../../src/webhooks/redis.js';
import { connectIoRedis, connectNodeRedis } from './redis.js';

const [kind, prefix = '', leaseMs] = process.argv.slice(2);
const notes = await connectNodeRedis();
const ioRedis = connectIoRedis();

// Counts completions in the same transaction, so that no crash can separate the two.
const isComplete = (script: string) => script.includes("'done', 'PX'");
const counted = [`${prefix}completed`, 1] as const;
const idOf = (key = '') => key.slice(`${prefix}event:`.length);
const overIoRedis: IoRedisClient = {
  call: (command, ...args) => {
    const [script = '', , key] = args;
    if (!isComplete(script)) return ioRedis.call(command, ...args);
    return ioRedis
      .multi([
        [command.toLowerCase(), ...args],
        ['hincrby', counted[0], idOf(key), counted[1]],
      ])
      .exec();
  },
};
const overNodeRedis: NodeRedisClient = {
  eval: (script, options) =>
    isComplete(script)
      ? notes.multi().eval(script, options).hIncrBy(counted[0], idOf(options.keys[0]), counted[1]).exec()
      : notes.eval(script, options),
};
const redis = new RedisWebhookStore(kind === 'ioredis' ? overIoRedis : overNodeRedis, { prefix: `${prefix}event:` });

/** Ends the process on the spot where the test wants a crash at this point of this event; each crash happens once. */
async function crashIfPlanned(point: string, id: string): Promise<void> {
  if ((await notes.sRem(`${prefix}crashes`, `${point} ${id}`)) === 1) process.kill(process.pid, 'SIGKILL');
}

const store: WebhookStore = {
  claim: (id, lease) => redis.claim(id, lease),
  release: (id) => redis.release(id),
  complete: async (id, keepMs) => {
    await crashIfPlanned('before complete', id);
    await redis.complete(id, keepMs);
  },
};

const receiver = createWebhookReceiver({
  secret: 'whk_test_redis',
  store,
  leaseMs: Number(leaseMs),
  on: {
    default: async ({ id = '' }) => {
      await notes.hIncrBy(`${prefix}started`, id, 1);
      await crashIfPlanned('in handler', id);
      // A few handlers fail, each once.
      if ((await notes.sRem(`${prefix}failures`, id)) === 1) throw new Error('planned');
      await notes.hIncrBy(`${prefix}finished`, id, 1);
    },
  },
  onError: (error) => {
    if (!(error instanceof Error && error.message === 'planned')) console.error(error);
  },
});

const server = createServer((request, response) => void receiver.node(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());
