/**
 * The durable store in Redis, over your own `redis`, `ioredis` or `@upstash/redis`.
 *
 * @packageDocumentation
 */
import { checkConfiguration, isFunction, isString, optionsOf } from '../../core/call/options.js';
import { ItemStore } from '../item-store.js';
import { refuseKeyPrefix, toRedisCommands, type RedisHandle, type RedisStoreCommand } from './client.js';
import { redisFailures } from './failure.js';
import { RedisItems } from './items.js';
import { checkRedisVersion, redisWarnings } from './settings.js';
import { report, warnProcess, type OnStoreWarning } from '../failure.js';

export type {
  IoRedisStoreClient,
  NodeRedisStoreClient,
  NodeRedisStoreEvalOptions,
  RedisHandle,
  RedisStoreCommand,
  UpstashStoreClient,
} from './client.js';
export type { DurableStore, ScannedItem, StoredItem } from '../store.js';
export type { OnStoreWarning } from '../failure.js';

/** The options of a {@link RedisStore}. */
export interface RedisStoreOptions {
  /**
   * The prefix of all keys in Redis. A hash tag in it, such as `{acme}:`, decides on the slot in a cluster; without a tag,
   * all stores share the slot of `{store}`. Default `social-publishing:`. It replaces the option `keyPrefix` of the client,
   * which is refused.
   */
  readonly prefix?: string | undefined;
  /**
   * Receives, once, each setting of the server that cannot keep the promise, and the setting to use instead. Exceptions
   * and rejections are ignored. Default: `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const optionsCheck = optionsOf<RedisStoreOptions>('an option of RedisStore', {
  prefix: isString,
  onWarning: isFunction,
});

/**
 * Keeps items in Redis, over your own client of the package `redis`, `ioredis` or `@upstash/redis`. All items are in two hashes and a few
 * sorted sets of one slot. Each write is a script, so it happens completely or not at all.
 *
 * The server must have `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`. Otherwise, acknowledged
 * writes can be lost, and a post can be published twice. A failover to a replica without the last writes has the same
 * effect. Redis has no transactions for callers, so this store has no `within`.
 *
 * @example
 * ```ts
 * const redis = await createClient({ url: process.env.REDIS_URL }).connect();
 * const store = new RedisStore(redis);
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class RedisStore extends ItemStore {
  readonly #ask: RedisStoreCommand;
  readonly #onWarning: OnStoreWarning;
  #checked = false;

  /**
   * @param client your own client: connect it before the first call, close it after the last one, and set a time limit
   *   for its commands
   * @throws ConfigurationError the client is not one of `redis`, `ioredis` or `@upstash/redis`, it has a `keyPrefix`, or an
   *   option is invalid
   */
  constructor(client: RedisHandle, options: RedisStoreOptions = {}) {
    checkConfiguration(optionsCheck, options);
    const { prefix = 'social-publishing:', onWarning = warnProcess } = options;
    refuseKeyPrefix(client, prefix);
    const commands = toRedisCommands(client);
    const items = new RedisItems(commands, prefix);
    super({
      items,
      writes: {
        get: (key) => items.get(key),
        write: async (write) => {
          await this.#warn(); // Not every caller calls setup.
          return items.write(write);
        },
      },
      failures: redisFailures,
    });
    this.#ask = commands.ask;
    this.#onWarning = onWarning;
  }

  /**
   * Reads the server's version and settings; it creates nothing. Many processes can call it at once.
   * @throws ConfigurationError the server is older than Redis 5
   */
  async setup(): Promise<void> {
    await this.get(''); // Rejects if the server does not answer.
    await checkRedisVersion(this.#ask);
    await this.#warn();
  }

  async #warn(): Promise<void> {
    if (this.#checked) return;
    this.#checked = true;
    report(await redisWarnings(this.#ask), this.#onWarning);
  }
}
