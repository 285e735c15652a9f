import { ConfigurationError } from '../core/errors.js';
import type { RedisCommands, RedisStoreCommand } from './redis-commands.js';

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

/** @throws ConfigurationError the client is not supported */
export function toRedisCommands(client: NodeRedisStoreClient | IoRedisStoreClient | RedisStoreCommand): RedisCommands {
  if (typeof client === 'function') return commandsOf(client);
  const methods = client as Partial<NodeRedisStoreClient & IoRedisStoreClient> | null | undefined;
  // A client of ioredis has eval, too, with other arguments.
  if (typeof methods?.call === 'function')
    return commandsOf((command, ...args) => (client as IoRedisStoreClient).call(command, ...args));
  if (typeof methods?.eval === 'function') {
    // The method was checked in the line above.
    const nodeRedis = client as NodeRedisStoreClient;
    return {
      evaluate: async (script, keys, args) =>
        decoded(await nodeRedis.eval(script, { keys: [...keys], arguments: [...args] })),
      ask: plainCommands(nodeRedis),
    };
  }
  throw new ConfigurationError(
    'A RedisStore needs a client of redis, ioredis or @upstash/redis, or a function that sends one command.',
  );
}

function commandsOf(send: RedisStoreCommand): RedisCommands {
  return {
    evaluate: async (script, keys, args) => decoded(await send('EVAL', script, String(keys.length), ...keys, ...args)),
    ask: async (command, ...args) => decoded(await send(command, ...args)),
  };
}

/** `sendCommand(args)` of node-redis. Its cluster client has one with other arguments, and `masters`. */
function plainCommands(client: object): RedisStoreCommand | undefined {
  const { sendCommand } = client as { sendCommand?: (args: string[]) => Promise<unknown> };
  if (typeof sendCommand !== 'function' || 'masters' in client) return undefined;
  return async (command, ...args) => decoded(await sendCommand.call(client, [command, ...args]));
}

/** A client can be configured to return bytes. */
function decoded(reply: unknown): unknown {
  if (reply instanceof Uint8Array) return new TextDecoder().decode(reply);
  return Array.isArray(reply) ? reply.map(decoded) : reply;
}
