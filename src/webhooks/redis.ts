/**
 * What a webhook receiver of several processes remembers, in Redis.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import type { WebhookClaim, WebhookStore } from './webhook-store.js';

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
  /**
   * What every key starts with; the event's ID follows. Apps that share a Redis must not share a prefix. Default:
   * `social-publishing:event:`, to which a receiver adds a name that it makes from its secret, so that two subscriptions
   * keep apart.
   */
  readonly prefix?: string | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof RedisWebhookStoreOptions>(['prefix']);

const done = 'done';

/** Deletes a key that has a value: a claim that has run out may be another process's by now. */
const deleteIfEqual = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
/** Puts another value with a new time in the place of a value. */
const replaceIfEqual =
  "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 end return 0";

// Between a claim that was refused and the look at what refused it, that can run out. Twice in a row is no accident.
const claimTries = 3;

/** How many claims a store keeps in mind. Those that are forgotten run out by themselves. */
const maxTokens = 10_000;

/**
 * Remembers events in Redis, for receivers that are several processes. Each event is one key, which expires by itself.
 * The client is yours: connect it before, close it after, and give it a time limit for commands.
 *
 * Each claim has a token of its own. Where a connection drops after Redis has carried out a claim, the token tells the
 * store that the claim is its own.
 *
 * ```ts
 * const receiver = createWebhookReceiver({ secret, on, store: new RedisWebhookStore(client) });
 * ```
 */
export class RedisWebhookStore implements WebhookStore {
  readonly #commands: Commands;
  readonly #prefix: string;
  readonly #hasOwnPrefix: boolean;
  /** The token of each claim that this store holds, by key. */
  readonly #held = new Map<string, string>();
  /**
   * Tokens that may stand in Redis though nobody holds them: nothing came back on the claim or the release. Who takes one
   * out of here has its claim.
   */
  readonly #doubtful = new Map<string, true>();

  /**
   * @param client a client of node-redis or ioredis, or a function that sends one command
   * @throws ConfigurationError the client is none of them, or an option is misspelt
   */
  constructor(client: NodeRedisClient | IoRedisClient | RedisCommand, options: RedisWebhookStoreOptions = {}) {
    checkNames('option', options, optionNames);
    this.#commands = toCommands(client);
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

  /** The same store where it was given a prefix, which tells apps apart by itself. */
  scopedTo(scopes: readonly string[]): WebhookStore {
    if (this.#hasOwnPrefix) return this;
    // In one order everywhere, so that of two claims at once the first that is refused is the other's first.
    const names = [...scopes].sort();
    // While a secret is rotated there are several: an event is known under each, so that a receiver which has only one of
    // them knows it, too.
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

  /** Claims all keys of an event, or none. */
  async #claimAll(keys: readonly string[], leaseMs: number): Promise<WebhookClaim> {
    const claimed: string[] = [];
    const giveBack = () => Promise.all(claimed.map((key) => this.#release(key)));
    for (const key of keys) {
      let found: WebhookClaim;
      try {
        found = await this.#claim(key, Math.ceil(leaseMs));
      } catch (error) {
        // It rejects for the same reason, or the claims run out.
        await giveBack().catch(() => undefined);
        throw error;
      }
      if (found !== 'new') {
        await giveBack();
        return found;
      }
      claimed.push(key);
    }
    return 'new';
  }

  async #claim(key: string, leaseMs: number): Promise<WebhookClaim> {
    const token = crypto.randomUUID();
    for (let tries = 0; tries < claimTries; tries += 1) {
      if (await this.#setIfNew(key, token, leaseMs)) return this.#hold(key, token);
      const value = textOf(await this.#commands.get(key));
      if (value === undefined) continue;
      if (value === done) return 'done';
      // The client sent the command a second time, on a new connection: the first was carried out.
      if (value === token) return this.#hold(key, token);
      if (!this.#doubtful.delete(value)) return 'in_progress';
      if (await this.#takeOver(key, value, token, leaseMs)) return this.#hold(key, token);
    }
    return 'in_progress';
  }

  async #setIfNew(key: string, token: string, leaseMs: number): Promise<boolean> {
    try {
      return await this.#commands.setIfNew(key, token, leaseMs);
    } catch (error) {
      keep(this.#doubtful, token, true);
      // The connection may have dropped after the claim was carried out.
      const value = textOf(await this.#commands.get(key).catch(() => undefined));
      if (value === token && this.#doubtful.delete(token)) return true;
      throw error;
    }
  }

  async #takeOver(key: string, value: string, token: string, leaseMs: number): Promise<boolean> {
    try {
      return await this.#commands.replaceIfEqual(key, value, token, leaseMs);
    } catch (error) {
      for (const one of [value, token]) keep(this.#doubtful, one, true);
      throw error;
    }
  }

  #hold(key: string, token: string): WebhookClaim {
    keep(this.#held, key, token);
    return 'new';
  }

  async #complete(key: string, keepMs: number): Promise<void> {
    // Whoever holds the claim by now: the event was handled.
    await this.#commands.set(key, done, Math.ceil(keepMs));
    this.#held.delete(key);
  }

  async #release(key: string): Promise<void> {
    const token = this.#held.get(key);
    // Without a claim there is nothing of this store's to release.
    if (token === undefined) return;
    this.#held.delete(key);
    keep(this.#doubtful, token, true);
    await this.#commands.deleteIfEqual(key, token);
    this.#doubtful.delete(token);
  }
}

/** Sets an entry, and forgets the oldest where there are too many. */
function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  const [oldest] = entries.keys();
  if (entries.size >= maxTokens && oldest !== undefined) entries.delete(oldest);
  entries.delete(key);
  entries.set(key, value);
}

/** What the store needs of Redis. */
interface Commands {
  setIfNew(key: string, value: string, expiresInMs: number): Promise<boolean>;
  set(key: string, value: string, expiresInMs: number): Promise<unknown>;
  get(key: string): Promise<unknown>;
  deleteIfEqual(key: string, value: string): Promise<unknown>;
  replaceIfEqual(key: string, value: string, by: string, expiresInMs: number): Promise<boolean>;
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
    replaceIfEqual: async (key, value, by, ms) =>
      Number(await send('EVAL', replaceIfEqual, '1', key, value, by, String(ms))) === 1,
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
    replaceIfEqual: async (key, value, by, ms) => {
      if (typeof client.eval === 'function') {
        return Number(await client.eval(replaceIfEqual, { keys: [key], arguments: [value, by, String(ms)] })) === 1;
      }
      // As above.
      if (textOf(await client.get(key)) !== value) return false;
      await client.set(key, by, { PX: ms });
      return true;
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
