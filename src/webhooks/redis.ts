/**
 * The store of a webhook receiver on Redis.
 *
 * @packageDocumentation
 */
import { checkConfiguration, isString, optionsOf } from '../core/options.js';
import {
  toRedisCommands,
  type IoRedisStoreClient,
  type NodeRedisStoreClient,
  type NodeRedisStoreEvalOptions,
} from '../stores/redis-client.js';
import { defaultRuntime } from '../core/runtime.js';
import type { RedisCommands, RedisStoreCommand } from '../stores/redis-commands.js';
import { redisFailures } from '../stores/redis-failure.js';
import { repeatWhenLost } from '../stores/lost-replies.js';
import { claimAll } from './claim-all.js';
import type { WebhookClaim, WebhookStore } from './webhook-store.js';

/** A client of node-redis (npm `redis`). */
export type NodeRedisClient = NodeRedisStoreClient;
/** Options of `EVAL`. */
export type NodeRedisEvalOptions = NodeRedisStoreEvalOptions;
/** A client of ioredis, or another client with its method `call`. */
export type IoRedisClient = IoRedisStoreClient;
/** Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. */
export type RedisCommand = RedisStoreCommand;

/** Options of {@link RedisWebhookStore}. */
export interface RedisWebhookStoreOptions {
  /**
   * The start of every key; the event's ID follows. Apps that share a Redis must not share a prefix. Default:
   * `social-publishing:event:`, to which a receiver adds a name made from its secret, so that each app handles every event.
   */
  readonly prefix?: string | undefined;
}

/** ARGV: lease, new token, older tokens of this process that may be stored although it does not own the event. */
const claimScript = `
local value = redis.call('get', KEYS[1])
if value == 'done' then return 'done' end
local free = not value
for i = 2, #ARGV do free = free or value == ARGV[i] end
if not free then return 'in_progress' end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[1])
return 'new'`;
const completeScript = "return redis.call('set', KEYS[1], 'done', 'PX', ARGV[1])";
/** Compares first: after its lease, the event can belong to another process. */
const releaseScript = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/** How many claims a store remembers. Older ones expire in Redis. */
const maxTokens = 10_000;

/**
 * Remembers events in Redis, for receivers in several processes. Each event is one key, which expires automatically.
 * You own the client: connect it before, close it after, and set a time limit for commands. It needs `EVAL`.
 *
 * @deprecated Pass `new RedisStore(redis)` of `social-publishing/stores/redis` to the receiver. `RedisStore` does not
 *   read the records of this store. Switch when the service cannot retry any recorded event, for example after
 *   `keepMs`.
 */
export class RedisWebhookStore implements WebhookStore {
  readonly #commands: RedisCommands;
  readonly #prefix: string;
  readonly #hasOwnPrefix: boolean;
  /** The tokens of claims that this process owns, by key. */
  readonly #owned = new Map<string, string>();
  /** Tokens that may be in Redis, by key: the reply to a claim or a release was lost. */
  readonly #uncertain = new Map<string, readonly string[]>();

  /**
   * @param client a client of node-redis or ioredis, or a function that sends one command
   * @throws ConfigurationError the client is not supported, or an option is invalid
   */
  constructor(client: NodeRedisClient | IoRedisClient | RedisCommand, options: RedisWebhookStoreOptions = {}) {
    checkConfiguration(
      optionsOf<RedisWebhookStoreOptions>('an option of RedisWebhookStore', { prefix: isString }),
      options,
    );
    this.#commands = toRedisCommands(client);
    this.#prefix = options.prefix ?? 'social-publishing:event:';
    this.#hasOwnPrefix = options.prefix !== undefined;
  }

  claim(id: string, leaseMs: number): Promise<WebhookClaim> {
    return this.#claimAll([this.#prefix + id], leaseMs);
  }

  complete(id: string, keepMs: number): Promise<void> {
    return this.#complete(this.#prefix + id, keepMs);
  }

  release(id: string): Promise<void> {
    return this.#release(this.#prefix + id);
  }

  /** Returns this store if it has its own `prefix`, because the prefix already separates apps. */
  scopedTo(scopes: readonly string[]): WebhookStore {
    if (this.#hasOwnPrefix) return this;
    // In one order everywhere: two processes that claim several keys at once meet at the first.
    const names = [...scopes].sort();
    // During a rotation, an event has one key for each secret, so that a process with only one of them recognises it.
    const keysOf = (id: string) => names.map((name) => `${this.#prefix}${name}:${id}`);
    return {
      claim: (id, leaseMs) => this.#claimAll(keysOf(id), leaseMs),
      complete: async (id, keepMs) => {
        await Promise.all(keysOf(id).map((key) => this.#complete(key, keepMs)));
      },
      release: async (id) => {
        await Promise.all(keysOf(id).map((key) => this.#release(key)));
      },
    };
  }

  /** In a cluster, the keys can be in different slots, so one script cannot claim them all. */
  async #claimAll(keys: readonly string[], leaseMs: number): Promise<WebhookClaim> {
    const claims = await claimAll(keys, async (key) => {
      const claim = await this.#claim(key, leaseMs);
      return claim === 'new' ? { release: () => this.#release(key) } : claim;
    });
    return typeof claims === 'string' ? claims : 'new';
  }

  async #claim(key: string, leaseMs: number): Promise<WebhookClaim> {
    const token = defaultRuntime.newId();
    const older = this.#uncertain.get(key) ?? [];
    this.#uncertain.delete(key); // One claim at a time may use them.
    let claim: unknown;
    try {
      claim = await this.#run(claimScript, key, String(Math.ceil(leaseMs)), token, ...older);
    } catch (error) {
      remember(this.#uncertain, key, [token, ...older].slice(0, 5));
      throw error;
    }
    if (claim === 'new') remember(this.#owned, key, token);
    else if (claim !== 'done') return 'in_progress';
    return claim;
  }

  async #complete(key: string, keepMs: number): Promise<void> {
    // Whichever process owns the event by now: it was handled.
    await this.#run(completeScript, key, String(Math.ceil(keepMs)));
    this.#owned.delete(key);
  }

  async #release(key: string): Promise<void> {
    const token = this.#owned.get(key);
    if (token === undefined) return;
    this.#owned.delete(key);
    await this.#run(releaseScript, key, token).catch((error: unknown) => {
      remember(this.#uncertain, key, [token]);
      throw error;
    });
  }

  /** Each script can run twice without harm, so a lost reply leads to a repeat. */
  #run(script: string, key: string, ...args: string[]): Promise<unknown> {
    return repeatWhenLost(() => this.#commands.evaluate(script, [key], args), redisFailures);
  }
}

/** Adds an entry, and removes the oldest if there are too many. */
function remember<T>(entries: Map<string, T>, key: string, value: T): void {
  const [oldest] = entries.keys();
  if (entries.size >= maxTokens && oldest !== undefined) entries.delete(oldest);
  entries.delete(key);
  entries.set(key, value);
}
