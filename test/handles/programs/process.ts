/** Runs the contract suite, or a campaign, over one handle in this process. Argument: the task, as JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PostgresStore } from '../../../src/stores/postgres/index.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import type { TestableStore } from '../../../src/stores/testing/index.js';
import { campaignInbox, publishCampaign, type Campaign } from './campaign.js';
import { failureOf, suiteOf } from './suite.js';

export interface Task {
  readonly handle: 'file' | 'bun:sqlite' | 'better-sqlite3' | 'libsql' | 'pglite' | 'neon';
  /** The module of the driver. */
  readonly module: string;
  /** A path, or the URL of a server. */
  readonly database: string;
  /** Of the bridge between WebSockets and the server, for Neon. */
  readonly webSockets?: { readonly module: string; readonly port: number };
  /** Without one, the contract suite runs. */
  readonly campaign?: Campaign;
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
const onWarning = () => {};
// The modules are not installed here, so their types are the stores' types.
const driver = (await import(task.module)) as {
  readonly default: never;
  readonly Database: never;
  readonly createClient: never;
  readonly PGlite: never;
  readonly Pool: never;
  readonly neonConfig: Record<string, unknown>;
};

type Open = (database: string) => TestableStore | Promise<TestableStore>;

const openers: Readonly<Record<Task['handle'], Open>> = {
  file: (path) => new SqliteStore(path, { busyTimeoutMs: 30_000 }),
  'bun:sqlite': (path) => openSynchronous(driver.Database, path),
  'better-sqlite3': (path) => openSynchronous(driver.default, path),
  libsql: async (path) => {
    const create = driver.createClient as (config: object) => ConstructorParameters<typeof SqliteStore>[0] & {
      execute(sql: string): Promise<unknown>;
      close(): void;
    };
    const client = create({ url: `file:${path}` });
    await client.execute('PRAGMA journal_mode = WAL');
    return closing(new SqliteStore(client, { onWarning }), () => {
      client.close();
    });
  },
  pglite: async (folder) => {
    const PGlite = driver.PGlite as {
      create(folder: string): Promise<ConstructorParameters<typeof PostgresStore>[0] & { close(): Promise<void> }>;
    };
    const database = await PGlite.create(folder);
    return closing(new PostgresStore(database, { onWarning }), () => database.close());
  },
  neon: async (url) => {
    const { module, port } = task.webSockets ?? { module: '', port: 0 };
    const { WebSocket } = (await import(module)) as { WebSocket: unknown };
    Object.assign(driver.neonConfig, {
      webSocketConstructor: WebSocket,
      wsProxy: () => `127.0.0.1:${String(port)}/`,
      ...{ useSecureWebSocket: false, pipelineTLS: false, pipelineConnect: false, forceDisablePgSSL: true },
    });
    const Pool = driver.Pool as new (config: object) => ConstructorParameters<typeof PostgresStore>[0] & {
      on(event: 'error', listener: () => void): void;
      end(): Promise<void>;
    };
    const pool = new Pool({ connectionString: url });
    pool.on('error', () => {});
    return closing(new PostgresStore(pool, { onWarning, table: 'social_publishing_neon' }), () => pool.end());
  },
};

function openSynchronous(Database: unknown, path: string): TestableStore {
  const Constructor = Database as new (path: string) => ConstructorParameters<typeof SqliteStore>[0] & {
    exec(sql: string): unknown;
    close(): unknown;
  };
  const database = new Constructor(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  return closing(new SqliteStore(database, { onWarning }), () => {
    database.close();
  });
}

function closing(store: TestableStore, close: () => unknown): TestableStore {
  return Object.assign(store, {
    close: async () => {
      await close();
    },
  });
}

const open = () => openers[task.handle](task.database);
if (task.campaign === undefined) {
  const tests = suiteOf(open);
  const failures: string[] = [];
  for (const test of tests) {
    const failure = await failureOf(test);
    if (failure !== undefined) failures.push(failure);
  }
  say({ tests: tests.length, failures });
} else {
  const store = await open();
  await store.setup?.();
  const inbox = campaignInbox(store, task.campaign);
  const server = createServer((request, response) => void inbox.node(request, response));
  await once(server.listen(task.campaign.events.port, '127.0.0.1'), 'listening');
  say('ready');
  const states = await publishCampaign(store, inbox, task.campaign);
  server.close();
  server.closeAllConnections();
  await store.close?.();
  say({ states });
}
