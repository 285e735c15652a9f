/** Redis over HTTP: the client of `@upstash/redis`. */
import { isObjectWith } from '../../core/call/options.js';
import type { RedisCommands } from './client.js';

/** The part of a client of `@upstash/redis` that the store uses. It sends each command over HTTP, without a connection. */
export interface UpstashStoreClient {
  /** Sends `EVAL`. */
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
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
export function upstashCommands(client: UpstashStoreClient): RedisCommands {
  const evaluate: RedisCommands['evaluate'] = async (script, keys, args) => {
    const reply = await client.eval(encodedReply(script), [...keys], [...args]);
    if (!Array.isArray(reply) || reply[0] !== `~${marker}`)
      throw new Error('the request was aborted, or answered by something else');
    return decoded(reply[1] ?? null);
  };
  return {
    evaluate,
    // CONFIG is not allowed in a script, and the client cannot send it.
    ask: async (command, ...args) =>
      command === 'INFO' ? evaluate(`return redis.call('INFO', ARGV[1])`, [], args) : undefined,
  };
}

/** A client with a connection has one of these methods, and another `eval`. */
export function isUpstash(client: unknown): client is UpstashStoreClient {
  return (
    isObjectWith(client, ['eval']) && !['connect', 'sendCommand', 'call'].some((name) => isObjectWith(client, [name]))
  );
}

function decoded(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(1);
  return Array.isArray(value) ? value.map(decoded) : value;
}
