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

/** The part of a client of `@upstash/redis` that the store uses. It sends each command over HTTP, without a connection. */
export interface UpstashStoreClient {
  /** Sends `EVAL`. */
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/**
 * Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. It must send the arguments
 * unchanged: a client that adds a prefix to keys would show other items after a change of that prefix.
 */
export type RedisStoreCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** Everything that a `RedisStore` is made with. */
export type RedisHandle = NodeRedisStoreClient | IoRedisStoreClient | UpstashStoreClient | RedisStoreCommand;

/** The used part of each client. */
export interface RedisCommands {
  /** Runs a script; a text that comes as bytes is decoded. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
  /** Sends a command without a key. Resolves to `undefined` if the client cannot send it. */
  readonly ask: RedisStoreCommand;
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
export function toRedisCommands(client: RedisHandle): RedisCommands {
  if (typeof client === 'function') return commandsOf(client);
  if (isUpstash(client)) return upstashCommands(client);
  // A client of ioredis has eval, too, with other arguments.
  if (isObjectWith(client, ['call'])) return commandsOf((command, ...args) => client.call(command, ...args));
  if (isObjectWith(client, ['eval'])) {
    const inBytes = replyingInBytes(client);
    return {
      evaluate: async (script, keys, args) =>
        decoded(await inBytes.eval(script, { keys: [...keys], arguments: [...args] })),
      ask: plainCommands(client),
    };
  }
  throw new ConfigurationError(
    'A RedisStore needs a client of redis, ioredis or @upstash/redis, or a function that sends one command.',
  );
}

function commandsOf(send: RedisStoreCommand): RedisCommands {
  const ask: RedisStoreCommand = async (command, ...args) => decoded(await send(command, ...args));
  return { evaluate: (script, keys, args) => ask('EVAL', script, String(keys.length), ...keys, ...args), ask };
}

/** Lets a client reply in bytes, if it can: redis 5.0 to 5.8 breaks a letter of a text whose bytes arrive in two pieces. */
function replyingInBytes(client: NodeRedisStoreClient): NodeRedisStoreClient {
  const { withTypeMapping } = client as { withTypeMapping?: (types: object) => NodeRedisStoreClient };
  const { Buffer } = globalThis as { Buffer?: unknown };
  return withTypeMapping?.call(client, { [blobString]: Buffer }) ?? client;
}

/** `sendCommand(args)` of node-redis. Its cluster client has one with other arguments, and `masters`. */
function plainCommands(client: object): RedisStoreCommand {
  const { sendCommand } = client as { sendCommand?: (args: string[]) => Promise<unknown> };
  if (typeof sendCommand !== 'function' || 'masters' in client) return () => Promise.resolve(undefined);
  return async (command, ...args) => decoded(await sendCommand.call(client, [command, ...args]));
}

/** The type of texts in replies of Redis (`RESP_TYPES.BLOB_STRING`). */
const blobString = 36;

/** A client can be configured to return bytes. */
function decoded(reply: unknown): unknown {
  if (reply instanceof Uint8Array) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(reply);
  return Array.isArray(reply) ? reply.map(decoded) : reply;
}

/** The first element of each reply. Anything else is not the reply of the script: an aborted request looks like one. */
const marker = 'social-publishing';

/**
 * By default the client parses texts as JSON, so that `1` and `{"a":1}` do not come back as they were. A text after `~` is
 * not JSON, and comes back as it is, whatever the setting.
 */
const encodedReply = (script: string): string => `
local function encoded(value)
  if type(value) == 'string' then return '~' .. value end
  if type(value) ~= 'table' then return value end
  local all = {}
  for i, part in ipairs(value) do all[i] = encoded(part) end
  return all
end
local function result()
${script}
end
return { '~${marker}', encoded(result()) }`;

/**
 * The client repeats a command after a lost reply. Every script that writes recognises its own repetition, see
 * scripts.ts.
 */
function upstashCommands(client: UpstashStoreClient): RedisCommands {
  const evaluate: RedisCommands['evaluate'] = async (script, keys, args) => {
    const reply = await client.eval(encodedReply(script), [...keys], [...args]);
    if (!Array.isArray(reply) || reply[0] !== `~${marker}`)
      throw new Error('the request was aborted, or answered by something else');
    return unmarked(reply[1] ?? null);
  };
  return {
    evaluate,
    // CONFIG is not allowed in a script, and the client cannot send it.
    ask: async (command, ...args) =>
      command === 'INFO' ? evaluate(`return redis.call('INFO', ARGV[1])`, [], args) : undefined,
  };
}

/** A client with a connection has one of these methods, and another `eval`. */
function isUpstash(client: unknown): client is UpstashStoreClient {
  return (
    isObjectWith(client, ['eval']) && !['connect', 'sendCommand', 'call'].some((name) => isObjectWith(client, [name]))
  );
}

function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(1);
  return Array.isArray(value) ? value.map(unmarked) : value;
}
