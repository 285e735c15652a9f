import { isObjectWith } from '../../core/call/options.js';
import { ConfigurationError } from '../../core/errors.js';

/** The used part of a client of node-redis (npm `redis`), including its pool and its cluster client. */
export interface NodeRedisStoreClient {
  /** `EVAL`. */
  eval(script: string, options: NodeRedisStoreEvalOptions): Promise<unknown>;
}

/** Options of `EVAL`. */
export interface NodeRedisStoreEvalOptions {
  /** The keys of the script. */
  keys: string[];
  /** The arguments of the script. */
  arguments: string[];
}

/** The used part of a client of ioredis, including its cluster client. */
export interface IoRedisStoreClient {
  /** Sends a command. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A prefix that a client adds to keys: an option of ioredis and its cluster, and of redis from 6.2 on. */
type RedisClientPrefix = string | Uint8Array;

interface PrefixingClient {
  /** ioredis; in its cluster the option can be in `redisOptions`. A client of redis has its options here, too. */
  readonly options?: {
    readonly keyPrefix?: RedisClientPrefix;
    readonly redisOptions?: { readonly keyPrefix?: RedisClientPrefix } | null;
  } | null;
  /** The cluster, the pool and the sentinel client of redis. */
  readonly _keyPrefix?: RedisClientPrefix;
}

/**
 * A release of the client decides whether its prefix applies to scripts, so an upgrade would hide all items.
 * @throws ConfigurationError the client has the option `keyPrefix`
 */
export function refuseKeyPrefix(client: unknown, prefix: string): void {
  if (typeof client !== 'object' || client === null) return;
  const { options, _keyPrefix } = client as PrefixingClient; // Other clients have none of these members.
  const keyPrefix = options?.keyPrefix ?? options?.redisOptions?.keyPrefix ?? _keyPrefix;
  if (keyPrefix === undefined || keyPrefix.length === 0) return;
  const text = String(decoded(keyPrefix));
  const [ignored, applied] = [`prefix: ${JSON.stringify(prefix)}`, `prefix: ${JSON.stringify(text + prefix)}`];
  const [older, newer] =
    'call' in client
      ? ['ioredis 5.0 to 5.8', 'ioredis 5.9 and later, and ioredis 6']
      : ['redis before 6.2', 'redis 6.2 and later'];
  throw new ConfigurationError(
    `The Redis client has keyPrefix ${JSON.stringify(text)}, which a RedisStore does not support: releases of the client treat it ` +
      'differently, and an upgrade would hide all items. Create a client without keyPrefix, and use the option prefix of ' +
      `the RedisStore. To read the existing data: ${older}: ${ignored}. ${newer}: ${applied}.`,
  );
}

/** @throws ConfigurationError the client is not supported */
export function toRedisCommands(client: NodeRedisStoreClient | IoRedisStoreClient | RedisStoreCommand): RedisCommands {
  if (typeof client === 'function') return commandsOf(client);
  // A client of ioredis has eval, too, with other arguments.
  if (isObjectWith(client, ['call'])) return commandsOf((command, ...args) => client.call(command, ...args));
  if (isObjectWith(client, ['eval']))
    return {
      evaluate: async (script, keys, args) =>
        decoded(await client.eval(script, { keys: [...keys], arguments: [...args] })),
      ask: plainCommands(client),
    };
  throw new ConfigurationError(
    'A RedisStore needs a client of redis, ioredis or @upstash/redis, or a function that sends one command.',
  );
}

function commandsOf(send: RedisStoreCommand): RedisCommands {
  const ask: RedisStoreCommand = async (command, ...args) => decoded(await send(command, ...args));
  return { evaluate: (script, keys, args) => ask('EVAL', script, String(keys.length), ...keys, ...args), ask };
}

/** `sendCommand(args)` of node-redis. Its cluster client has one with other arguments, and `masters`. */
function plainCommands(client: object): RedisStoreCommand | undefined {
  const { sendCommand } = client as { sendCommand?: (args: string[]) => Promise<unknown> };
  if (typeof sendCommand !== 'function' || 'masters' in client) return undefined;
  return async (command, ...args) => decoded(await sendCommand.call(client, [command, ...args]));
}

/** A client can be configured to return bytes. */
function decoded(reply: unknown): unknown {
  if (reply instanceof Uint8Array) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(reply);
  return Array.isArray(reply) ? reply.map(decoded) : reply;
}

/**
 * Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. It must send the arguments
 * unchanged: a client that adds a prefix to keys would show other items after a change of that prefix.
 */
export type RedisStoreCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** The used part of each client. */
export interface RedisCommands {
  /** Runs a script; a text that comes as bytes is decoded. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
  /** Sends a command without a key; `undefined` if the client cannot. */
  readonly ask: RedisStoreCommand | undefined;
}
