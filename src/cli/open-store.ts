import { mkdir } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../core/error-code.js';
import { withoutPasswords } from '../core/redactor.js';
import type { PostgresStore } from '../stores/postgres/index.js';
import type { RedisStore } from '../stores/redis/index.js';
import { ConfigurationError } from '../index.js';
import { CommandError, UsageError } from './errors.js';
import type { StorePlace } from './find-store.js';
import { messageOf } from './report-error.js';
import type { Session } from './session.js';
import type { OpenCommandStore } from './output.js';

/** Called with a setting of the store that can break the guarantee. */
type OnWarning = (message: string) => void;

export async function openStore(
  session: Session,
  place: StorePlace,
  onWarning: OnWarning = (message) => {
    session.output.note(message);
  },
): Promise<OpenCommandStore> {
  try {
    return await open(session, place, onWarning);
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigurationError) throw error;
    const reason = messageOf(error).replace(/\.$/, '');
    throw new CommandError(`The store ${place.name} cannot be used: ${reason}. Nothing was sent.`);
  }
}

async function open(
  { world }: Session,
  { kind, address, name }: StorePlace,
  onWarning: OnWarning,
): Promise<OpenCommandStore> {
  switch (kind) {
    case 'postgres':
      return openPostgres(address, name, onWarning);
    case 'redis':
      return openRedis(address, name, onWarning);
    case 'file':
      return world.openFile === undefined ? openFile(address, onWarning) : world.openFile(address);
  }
}

async function openFile(file: string, onWarning: OnWarning): Promise<OpenCommandStore> {
  if (!isBuiltin('node:sqlite'))
    throw new UsageError(
      `A store in a file needs node:sqlite, which Node has from 22.13 on; this is ${process.version}. Nothing was sent. ` +
        'Update Node, or pass --store postgres://… or redis://….',
    );
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const { SqliteStore } = await import('../stores/sqlite/index.js');
  const store = new SqliteStore(file, { onWarning });
  await store.setup();
  return { store, name: file, close: () => store.close() };
}

/** The parts of a pool that the command uses in addition to the store. */
type InstalledPool = ConstructorParameters<typeof PostgresStore>[0] & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
};

async function openPostgres(connectionString: string, name: string, onWarning: OnWarning): Promise<OpenCommandStore> {
  // The part of pg that the command uses.
  const { Pool } = (await importDriver('pg')) as { Pool: new (options: { connectionString: string }) => InstalledPool };
  const pool = new Pool({ connectionString });
  // Without a listener, a lost connection ends the process. The next call reports it.
  pool.on('error', () => undefined);
  const { PostgresStore } = await import('../stores/postgres/index.js');
  const store = new PostgresStore(pool, { onWarning });
  await store.setup();
  return { store, name, close: () => pool.end() };
}

type RedisClient = ConstructorParameters<typeof RedisStore>[0] & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
};

/** The maximum time without a reply from a server. */
const silenceMs = 5_000;
const mostReconnects = 4;

async function openRedis(url: string, name: string, onWarning: OnWarning): Promise<OpenCommandStore> {
  // The part of redis that the command uses.
  const { createClient } = (await importDriver('redis')) as { createClient: (options: object) => RedisClient };
  const redis = createClient({
    url,
    commandOptions: { timeout: silenceMs },
    pingInterval: silenceMs / 3,
    socket: {
      socketTimeout: silenceMs,
      reconnectStrategy: (retries: number) => retries < mostReconnects && 250 * 2 ** retries,
    },
  });
  redis.on('error', (error) => {
    onWarning(`Redis: ${withoutPasswords(error.message)}`);
  });
  await redis.connect();
  const { RedisStore } = await import('../stores/redis/index.js');
  const store = new RedisStore(redis, { onWarning });
  await store.setup();
  return {
    store,
    name,
    close: () => {
      redis.destroy();
    },
  };
}

/** Imports the user's driver: from the project in the current folder, else from the folder of this package. */
async function importDriver(name: 'pg' | 'redis'): Promise<unknown> {
  for (const folder of [pathToFileURL(`${process.cwd()}/`), import.meta.url]) {
    try {
      const path = createRequire(folder).resolve(name);
      // A module's exports are an object. A CommonJS module may be the default export.
      const loaded = (await import(pathToFileURL(path).href)) as { default?: unknown };
      return loaded.default ?? loaded;
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new UsageError(`This store needs the package '${name}'. Nothing was sent. Run: npm install ${name}`);
}
