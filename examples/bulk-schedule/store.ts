/** Where the intents are kept: what the environment names, else a file. */
import { existsSync } from 'node:fs';
import { PostgresStore } from 'social-publishing/stores/postgres';
import type { DurableStore } from 'social-publishing/publisher';
import { RedisStore } from 'social-publishing/stores/redis';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { errorText } from './screen.js';

export interface OpenStore {
  readonly store: DurableStore;
  /** Where it is, for people. */
  readonly name: string;
  readonly close: () => unknown;
}

export async function openStore(file: string): Promise<OpenStore> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (DATABASE_URL !== undefined && DATABASE_URL !== '') {
    return openPostgres(checkUrl('DATABASE_URL', DATABASE_URL, ['postgres:', 'postgresql:']));
  }
  if (REDIS_URL !== undefined && REDIS_URL !== '') {
    return openRedis(checkUrl('REDIS_URL', REDIS_URL, ['redis:', 'rediss:', 'unix:']));
  }
  const store = new SqliteStore(file);
  await store.setup();
  return { store, name: file, close: () => store.close() };
}

/** Whether an earlier run may have left something: a dry run makes no file. */
export function hasStore(file: string): boolean {
  return Boolean(process.env['DATABASE_URL']) || Boolean(process.env['REDIS_URL']) || existsSync(file);
}

async function openPostgres(connectionString: string): Promise<OpenStore> {
  const { Pool } = await import('pg');
  const pool = new Pool({ connectionString });
  // Without a listener, a connection that is lost ends the process.
  pool.on('error', (error) => {
    console.error(`Postgres: ${errorText(error)}`);
  });
  const store = new PostgresStore(pool);
  await store.setup();
  return { store, name: 'Postgres (DATABASE_URL)', close: () => pool.end() };
}

/** How long a server that is connected may say nothing; it is asked whether it is there more often than that. */
const silenceMs = 5_000;
/** A server that restarts is waited for; one that stays away ends the program. */
const mostReconnects = 4;

async function openRedis(url: string): Promise<OpenStore> {
  const { createClient } = await import('redis');
  const redis = createClient({
    url,
    // A command that can't be sent ends with the first of these; one that was sent, and is not answered, with the others.
    commandOptions: { timeout: silenceMs },
    pingInterval: silenceMs / 3,
    socket: {
      socketTimeout: silenceMs,
      reconnectStrategy: (retries) => retries < mostReconnects && 250 * 2 ** retries,
    },
  });
  redis.on('error', (error: Error) => {
    console.error(`Redis: ${errorText(error)}`);
  });
  await redis.connect();
  const store = new RedisStore(redis);
  await store.setup();
  // Nothing is under way any more, and a server that is gone would be waited for.
  const close = () => {
    if (redis.isOpen) redis.destroy();
  };
  return { store, name: 'Redis (REDIS_URL)', close };
}

/**
 * A password that holds characters such as # is taken for another part of the URL, and drivers show what they can't use.
 * So their messages are not waited for.
 */
function checkUrl(name: string, url: string, protocols: readonly string[]): string {
  const { protocol = '' } = URL.canParse(url) ? new URL(url) : {};
  const [, authority = ''] = /^[^:]*:\/\/([^/?#]*)/.exec(url) ?? [];
  if (protocols.includes(protocol) && authority.includes('@') === url.includes('@')) return url;
  throw new Error(
    `${name} must be a URL that begins with ${protocols.join('// or ')}//. ` +
      'In a user or a password, characters such as # / ? @ are written %23 %2F %3F %40.',
  );
}
