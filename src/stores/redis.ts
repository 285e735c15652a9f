/**
 * The durable store in Redis, over your own `redis` or `ioredis`.
 *
 * @packageDocumentation
 */
import { checkNames } from '../core/names.js';
import { ConfigurationError } from '../core/errors.js';
import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import { compareKeys, endOfPrefix } from './key-order.js';
import {
  toRedisCommands,
  type IoRedisStoreClient,
  type NodeRedisStoreClient,
  type RedisCommands,
  type RedisStoreCommand,
} from './redis-client.js';
import { redisFailures } from './redis-failure.js';
import { dueScript, getScript, insertScript, removeScript, scanScript, swapScript } from './redis-scripts.js';
import { checkRedisVersion, redisWarnings } from './redis-settings.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import { judgeInsert, judgeSwap, makeSure, repeatWhenLost, type Seen, type SureWrite } from './sure.js';
import { firstVersion } from './versions.js';
import { warnProcess, type OnStoreWarning } from './warning.js';

export type {
  IoRedisStoreClient,
  NodeRedisStoreClient,
  NodeRedisStoreEvalOptions,
  RedisStoreCommand,
} from './redis-client.js';
export type { DurableStore, ScannedItem, StoredItem } from './store.js';
export type { OnStoreWarning } from './warning.js';

/** What a {@link RedisStore} is made with. */
export interface RedisStoreOptions {
  /**
   * What the names of all keys in Redis start with. A tag of your own in it, like `{acme}:`, decides on the slot in a
   * cluster; without one all stores share the slot of `{store}`. Default `social-publishing:`.
   */
  readonly prefix?: string | undefined;
  /**
   * Is told, once, of a setting of the server that can't keep the promise, and of what to set. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const knownOptions = new Set(['prefix', 'onWarning']);

/** For how long it is known who removed an item. Nobody waits longer for an answer that was lost. */
const removalKnownMs = 600_000;

/** How many items one script reads at most: Redis does nothing else meanwhile. */
const scanChunk = 200;
const dueChunk = 1_000;

/** What a key starts with up to its first slash; nothing, where it has none. */
const groupPattern = /^[^/]+\//;

/**
 * A {@link DurableStore} in Redis, over a client of yours: of the package `redis` or `ioredis`. All items lie in two
 * hashes and a few sorted sets of one slot, and each write is a script, so that it happens whole or not at all.
 *
 * The server must have `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`, else what was
 * acknowledged can be lost, and a post be published twice. The same goes for a failover to a replica that had not got
 * the last writes. It knows no transactions of the caller's: `within` is not there.
 *
 * @example
 * ```ts
 * const redis = await createClient({ url: process.env.REDIS_URL }).connect();
 * const store = new RedisStore(redis);
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class RedisStore implements DurableStore {
  readonly #commands: RedisCommands;
  readonly #name: (part: string) => string;
  readonly #keys: readonly string[];
  readonly #onWarning: OnStoreWarning;
  #checked = false;

  /**
   * @param client yours: connect it before, close it after, and give it a time limit for commands
   * @throws ConfigurationError the client is none that it knows, or an option can't work
   */
  constructor(client: NodeRedisStoreClient | IoRedisStoreClient | RedisStoreCommand, options: RedisStoreOptions = {}) {
    checkNames('option', options, knownOptions);
    const { prefix = 'social-publishing:', onWarning = warnProcess } = options;
    if (typeof prefix !== 'string') throw new ConfigurationError('prefix must be a string.');
    this.#commands = toRedisCommands(client);
    // The first pair of braces is the tag: a tag in the prefix comes before this one.
    this.#name = (part) => `${prefix}{store}:${part}`;
    this.#keys = ['versions', 'data', 'keys'].map(this.#name);
    this.#onWarning = onWarning;
  }

  /**
   * Looks at the server's version and settings; there is nothing to make. Any number of processes may call it at once.
   * @throws ConfigurationError the server is older than Redis 5
   */
  async setup(): Promise<void> {
    await repeatWhenLost(() => this.#commands.evaluate('return 1', [this.#keys[0] ?? ''], []), redisFailures);
    if (this.#commands.ask !== undefined) await checkRedisVersion(this.#commands.ask);
    await this.#warn();
  }

  /** Does nothing: the client is yours to close. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkKey(key);
    return repeatWhenLost(async () => {
      const item = await this.#read(key);
      return item && { version: item.version, data: item.data };
    }, redisFailures);
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkInsert(key, data, wakeAt);
    const [version, writeId] = [firstVersion(), crypto.randomUUID()];
    const isWritten = await this.#write(key, {
      write: () => this.#run(insertScript, key, `${version} ${writeId}`, data, scoreOf(wakeAt)),
      judge: (seen) => judgeInsert(seen, version, writeId),
    });
    return isWritten ? version : undefined;
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkSwap(key, version, data, wakeAt);
    const writeId = crypto.randomUUID();
    if (data === null) {
      await this.#warn();
      // The script knows by itself whether it was run before.
      const keys = [...this.#keysOf(key), this.#name(`removed:${writeId}`)];
      const args = [key, String(version), String(removalKnownMs)];
      const removed = await repeatWhenLost(() => this.#commands.evaluate(removeScript, keys, args), redisFailures);
      return removed === 1 ? version + 1 : undefined;
    }
    const isWritten = await this.#write(key, {
      write: () => this.#run(swapScript, key, `${version + 1} ${writeId}`, data, scoreOf(wakeAt), String(version)),
      judge: (seen) => judgeSwap(seen, version, writeId),
    });
    return isWritten ? version + 1 : undefined;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkDue(prefix, now, limit);
    const wakeAt = this.#wakeAtOf(prefix);
    return repeatWhenLost(async () => {
      const due: string[] = [];
      for (let passed = 0; due.length < limit; passed += dueChunk) {
        const args = [prefix, now, limit - due.length, passed, dueChunk].map(String);
        const [looked, keys] = (await this.#commands.evaluate(dueScript, [wakeAt], args)) as [number, string[]];
        due.push(...keys);
        if (looked < dueChunk) break;
      }
      return due;
    }, redisFailures);
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkScan(prefix, after, limit);
    const end = endOfPrefix(prefix);
    const to = end === undefined ? '+' : `(${end}`;
    return repeatWhenLost(async () => {
      const items: ScannedItem[] = [];
      let from = after !== undefined && compareKeys(after, prefix) >= 0 ? `(${after}` : `[${prefix}`;
      while (items.length < limit) {
        const asked = Math.min(scanChunk, limit - items.length);
        const flat = (await this.#commands.evaluate(scanScript, this.#keys, [from, to, String(asked)])) as string[];
        for (let i = 0; i < flat.length; i += 3)
          items.push({ key: flat[i] ?? '', version: seenOf(flat[i + 1] ?? '').version, data: flat[i + 2] ?? '' });
        if (flat.length < asked * 3) break;
        from = `(${items.at(-1)?.key ?? ''}`;
      }
      return items;
    }, redisFailures);
  }

  /** The sorted set to look into: the smaller one, where all keys that start with this text are in one group. */
  #wakeAtOf(text: string): string {
    const [group] = groupPattern.exec(text) ?? [];
    return this.#name(group === undefined ? 'wake_at' : `wake_at:${group}`);
  }

  /** What a write to an item touches. */
  #keysOf(key: string): string[] {
    return [...this.#keys, this.#name('wake_at'), this.#wakeAtOf(key)];
  }

  async #read(key: string): Promise<(Seen & { data: string }) | undefined> {
    const reply = (await this.#commands.evaluate(getScript, this.#keys, [key])) as [string, string] | null;
    return reply === null ? undefined : { ...seenOf(reply[0]), data: reply[1] };
  }

  async #run(script: string, key: string, ...args: string[]): Promise<boolean> {
    return (await this.#commands.evaluate(script, this.#keysOf(key), [key, ...args])) === 1;
  }

  async #write(key: string, write: Omit<SureWrite, 'look'>): Promise<boolean> {
    // Not everybody calls setup, for there is nothing to make.
    await this.#warn();
    return makeSure({ ...write, look: () => this.#read(key) }, redisFailures);
  }

  async #warn(): Promise<void> {
    if (this.#checked) return;
    this.#checked = true;
    if (this.#commands.ask === undefined) return;
    for (const warning of await redisWarnings(this.#commands.ask)) this.#onWarning(warning);
  }
}

function seenOf(item: string): Seen {
  const [version = '', writeId = ''] = item.split(' ');
  return { version: Number(version), writeId };
}

function scoreOf(wakeAt: number | null): string {
  return wakeAt === null ? '' : String(wakeAt);
}
