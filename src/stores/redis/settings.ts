import { isFields } from '../../core/json.js';
import { setupFailure } from '../failure.js';
import type { RedisStoreCommand } from './client.js';

/** The first version that replicates the effects of scripts instead of running them again. */
const oldestVersion = 5;

/** @throws ConfigurationError the server is too old */
export async function checkRedisVersion(ask: RedisStoreCommand): Promise<void> {
  const version = fieldOf(await answer(ask, 'INFO', 'server'), 'redis_version');
  if (version === undefined || Number.parseInt(version) >= oldestVersion) return;
  throw setupFailure(`RedisStore needs Redis ${oldestVersion} or later; this server is ${version}.`);
}

/**
 * Returns the recommended setting for each setting that breaks the guarantee. If the server does not report its
 * settings, there are no warnings.
 */
export async function redisWarnings(ask: RedisStoreCommand): Promise<string[]> {
  const [policy, appendOnly, appendFsync] = [
    (await configOf(ask, 'maxmemory-policy')) ?? fieldOf(await answer(ask, 'INFO', 'memory'), 'maxmemory_policy'),
    (await configOf(ask, 'appendonly')) ?? fieldOf(await answer(ask, 'INFO', 'persistence'), 'aof_enabled'),
    await configOf(ask, 'appendfsync'),
  ];
  const twice = 'and a post can be published twice';
  const warnings: string[] = [];
  if (policy !== undefined && policy !== 'noeviction')
    warnings.push(
      `RedisStore: maxmemory-policy is ${policy}, so Redis may remove acknowledged writes, ${twice}. ` +
        'Set: CONFIG SET maxmemory-policy noeviction.',
    );
  if (appendOnly === 'no' || appendOnly === '0')
    warnings.push(
      `RedisStore: appendonly is no, so a crash loses acknowledged writes, ${twice}. ` +
        'Set: CONFIG SET appendonly yes, and CONFIG SET appendfsync always.',
    );
  else if (appendFsync !== undefined && appendFsync !== 'always')
    warnings.push(
      `RedisStore: appendfsync is ${appendFsync}, so a crash can lose the acknowledged writes of the last second or more, ` +
        `${twice}. Set: CONFIG SET appendfsync always.`,
    );
  return warnings;
}

/** `CONFIG GET`, which hosted servers often refuse. Its reply is a list, or a map in the third protocol. */
async function configOf(ask: RedisStoreCommand, name: string): Promise<string | undefined> {
  const reply = await answer(ask, 'CONFIG', 'GET', name);
  const value: unknown = Array.isArray(reply)
    ? reply[1]
    : reply instanceof Map
      ? reply.get(name)
      : isFields(reply)
        ? reply[name]
        : undefined;
  return typeof value === 'string' ? value : undefined;
}

async function answer(ask: RedisStoreCommand, command: string, ...args: string[]): Promise<unknown> {
  try {
    return await ask(command, ...args);
  } catch {
    return undefined;
  }
}

function fieldOf(info: unknown, name: string): string | undefined {
  return typeof info === 'string' ? new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] : undefined;
}
