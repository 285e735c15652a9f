import { ConfigurationError } from '../core/errors.js';
import type { WebhookClaim, WebhookStore } from './store.js';

/** A client with the methods of node-redis (npm `redis`), its cluster client included. `eval` makes a release exact. */
export interface NodeRedisClient {
  /** `SET`. */
  set(key: string, value: string, options: NodeRedisSetOptions): Promise<unknown>;
  /** `GET`. */
  get(key: string): Promise<unknown>;
  /** `DEL`. */
  del(key: string): Promise<unknown>;
  /** `EVAL`. */
  eval?(script: string, options: NodeRedisEvalOptions): Promise<unknown>;
}

/** Options of `SET`. */
export interface NodeRedisSetOptions {
  /** Only where the key is not there. */
  NX?: true;
  /** Milliseconds until the key runs out. */
  PX: number;
}

/** Options of `EVAL`. */
export interface NodeRedisEvalOptions {
  /** The keys of the script. */
  keys: string[];
  /** The arguments of the script. */
  arguments: string[];
}

/** A client with the method of ioredis and its kin that sends any command. */
export interface IoRedisClient {
  /** Sends a command. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. */
export type RedisCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** What a {@link RedisWebhookStore} is made with. */
export interface RedisWebhookStoreOptions {
  /** What every key starts with; the event's ID follows. Default `social-publishing:event:`. */
  readonly prefix?: string | undefined;
}

const done = 'done';

/** Deletes a key that has a value: a claim that has run out may be another process's by now. */
const deleteIfEqual = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

// Between a claim that was refused and the look at what refused it, that can run out. Twice in a row is no accident.
const claimTries = 3;

/**
 * Remembers events in Redis, for receivers that are several processes. Each event is one key, which expires by itself.
 * The client is yours: connect it before, close it after, and give it a time limit for commands.
 *
 * ```ts
 * const receiver = createWebhookReceiver({ secret, on, store: new RedisWebhookStore(client) });
 * ```
 */
export class RedisWebhookStore implements WebhookStore {
  readonly #commands: Commands;
  readonly #prefix: string;
  /** The value of this store's claims. Made when it is needed: Workers make nothing random while they start. */
  #mine: string | undefined;

  /**
   * @param client a client of node-redis or ioredis, or a function that sends one command
   * @throws ConfigurationError the client is none of them
   */
  constructor(client: NodeRedisClient | IoRedisClient | RedisCommand, options: RedisWebhookStoreOptions = {}) {
    this.#commands = toCommands(client);
    this.#prefix = options.prefix ?? 'social-publishing:event:';
  }

  async claim(id: string, leaseMs: number): Promise<WebhookClaim> {
    const key = this.#prefix + id;
    this.#mine ??= crypto.randomUUID();
    for (let tries = 0; tries < claimTries; tries += 1) {
      if (await this.#commands.setIfNew(key, this.#mine, Math.ceil(leaseMs))) return 'new';
      const value = textOf(await this.#commands.get(key));
      if (value !== undefined) return value === done ? 'done' : 'in_progress';
    }
    return 'in_progress';
  }

  async complete(id: string, keepMs: number): Promise<void> {
    // Whoever holds the claim by now: the event was handled.
    await this.#commands.set(this.#prefix + id, done, Math.ceil(keepMs));
  }

  async release(id: string): Promise<void> {
    // Without a claim there is nothing of this store's to release.
    if (this.#mine !== undefined) await this.#commands.deleteIfEqual(this.#prefix + id, this.#mine);
  }
}

/** What the store needs of Redis. */
interface Commands {
  setIfNew(key: string, value: string, expiresInMs: number): Promise<boolean>;
  set(key: string, value: string, expiresInMs: number): Promise<unknown>;
  get(key: string): Promise<unknown>;
  deleteIfEqual(key: string, value: string): Promise<unknown>;
}

function toCommands(client: NodeRedisClient | IoRedisClient | RedisCommand): Commands {
  if (typeof client === 'function') return commandsOf(client);
  const methods = client as Partial<NodeRedisClient & IoRedisClient>;
  if (typeof methods.call === 'function')
    return commandsOf((command, ...args) => (client as IoRedisClient).call(command, ...args));
  for (const method of ['set', 'get', 'del'] as const) {
    if (typeof methods[method] !== 'function')
      throw new ConfigurationError(`The Redis client has neither call() nor ${method}().`);
  }
  return nodeRedisCommands(client as NodeRedisClient);
}

function commandsOf(send: RedisCommand): Commands {
  return {
    setIfNew: async (key, value, ms) => isSet(await send('SET', key, value, 'PX', String(ms), 'NX')),
    set: (key, value, ms) => send('SET', key, value, 'PX', String(ms)),
    get: (key) => send('GET', key),
    deleteIfEqual: (key, value) => send('EVAL', deleteIfEqual, '1', key, value),
  };
}

function nodeRedisCommands(client: NodeRedisClient): Commands {
  return {
    setIfNew: async (key, value, ms) => isSet(await client.set(key, value, { NX: true, PX: ms })),
    set: (key, value, ms) => client.set(key, value, { PX: ms }),
    get: (key) => client.get(key),
    deleteIfEqual: async (key, value) => {
      if (typeof client.eval === 'function') return client.eval(deleteIfEqual, { keys: [key], arguments: [value] });
      // Not in one step: a claim that runs out just here can be another's that is deleted, and the event is handled twice.
      return textOf(await client.get(key)) === value ? client.del(key) : undefined;
    },
  };
}

/** A value as text: a client can be set to give bytes. `undefined`: there is none. */
function textOf(value: unknown): string | undefined {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === 'string' ? value : undefined;
}

/** Redis answers a SET with OK, and one that NX kept from setting with nothing. */
function isSet(reply: unknown): boolean {
  return reply !== null && reply !== undefined && reply !== false;
}
