/** The store of the command: which one it is, and how to open it. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { domainToUnicode, pathToFileURL } from 'node:url';
import { codeOf } from '../core/error-code.js';
import { baseUrlOf, parseUrl, withoutSlash } from '../core/parse-url.js';
import { isSecretName, withoutPasswords } from '../core/redactor.js';
import { ConfigurationError } from '../index.js';
import { MemoryDurableStore, type DurableStore } from '../publisher/index.js';
import type { PostgresStore } from '../stores/postgres/index.js';
import type { RedisStore } from '../stores/redis/index.js';
import { findBaseUrl } from './connection.js';
import { CommandError, UsageError, exitCodes } from './errors.js';
import type { OpenCommandStore, World } from './output.js';
import { messageOf } from './report-error.js';
import type { Session } from './command.js';

/**
 * Returns other texts of the same base URL. Version 0.2.0 named files after the text as it was passed: the current text, or
 * another usual spelling.
 */
function otherSpellings(text: string): string[] {
  const normal = normalBaseUrl(text);
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?:)\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?([^]*)$/.exec(normal) ?? [];
  const usual = { 'http:': ':80', 'https:': ':443' }[scheme] ?? '';
  const found = new Set([withoutSlash(text)]);
  for (const schemeText of casesOf(scheme))
    for (const hostText of [host, domainToUnicode(host)].flatMap(casesOf))
      for (const portText of port === '' ? ['', usual] : [port])
        found.add(`${schemeText}//${hostText}${portText}${path}`);
  found.delete(normal);
  return [...found];
}

/** The base URL as the URL Standard writes it, without a slash at its end. Text that is not such a URL stays unchanged. */
function normalBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return text;
  return baseUrlOf(url);
}

function casesOf(text: string): string[] {
  return [text, text.toUpperCase(), text.charAt(0).toUpperCase() + text.slice(1)];
}

/**
 * Returns the SQLite file of a base URL: one for each user and base URL, in every spelling.
 * @throws UsageError version 0.2.0 created several files, for several spellings
 */
function defaultFile(world: World, baseUrl: string): string {
  const fileOf = (text: string) => join(stateFolder(world), fileName(text));
  const file = fileOf(normalBaseUrl(baseUrl));
  const earlier = otherSpellings(baseUrl).map(fileOf).filter(existsSync);
  const existing = [...(existsSync(file) ? [file] : []), ...earlier];
  if (existing.length < 2) return existing[0] ?? file;
  throw new UsageError(
    `Version 0.2.0 has created a store for each spelling of this base URL: ${existing.join(' and ')}. Nothing was sent. ` +
      'To list the keys of a store, run: social-publishing intents list --store FILE. Pass --store with the store that has ' +
      'your keys, or set SOCIAL_PUBLISHING_STORE to it. Publish no key of the other store again.',
  );
}

function fileName(text: string): string {
  const host = parseUrl(text)?.host.replace(/[^\w.-]/g, '_') ?? 'store';
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${host}-${digest}.db`;
}

/** The user's folder for state that outlives a run. */
export function stateFolder({ env }: Pick<World, 'env'>): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local, HOME: home } = env;
  // The specification ignores relative paths.
  if (state !== undefined && state.startsWith('/')) return join(state, 'social-publishing');
  if (process.platform === 'win32' && local !== undefined) return join(local, 'social-publishing');
  // With an empty or relative HOME, the store would depend on the current folder, and `os.homedir()` returns HOME as it is.
  const folder = home !== undefined && isAbsolute(home) ? home : userInfo().homedir;
  return join(folder, '.local', 'state', 'social-publishing');
}

/** The location of a store, before it is opened. */
export interface StorePlace {
  readonly kind: 'file' | 'postgres' | 'redis';
  /** The absolute path or the URL. */
  readonly address: string;
  /** For messages: without a password. */
  readonly name: string;
  /** The value of `--store` that names it from any folder. `undefined`: it contains a password. */
  readonly option: string | undefined;
  /** Settings that can break the guarantee. Missing: none. */
  readonly warnings?: readonly string[] | undefined;
  /** Whether it is the file of the base URL: neither `--store` nor the environment names a store. */
  readonly isDefault: boolean;
}

const variable = 'SOCIAL_PUBLISHING_STORE';

/** Parameters that the drivers ignore: URLs that differ only in them name one store. */
const ignoredParameters = {
  postgres: {
    names: /^(?:schema|search_path)$/i,
    instead: 'For another schema, write ?options=-c%20search_path%3DNAME, or use another database.',
  },
  redis: { names: /^prefix$/i, instead: 'Use the number of another database, as in redis://HOST/1.' },
};

/**
 * Finds the store: `--store`, then SOCIAL_PUBLISHING_STORE. The default is one SQLite file for each user and base URL.
 * @throws UsageError the text would mean another store than it seems to; its folder is missing; or a URL with a password
 * is an argument, which other users of the machine can read
 */
export function findStore(session: Session): StorePlace {
  const { world, output } = session;
  const option = session.text('store');
  const chosen = option ?? world.env[variable];
  const isDefault = chosen === undefined;
  const address = chosen ?? defaultFile(world, findBaseUrl(session) ?? '');
  const source = option === undefined ? variable : '--store';
  const kind = kindOf(address, source);
  if (kind === 'file') {
    // A relative path names another store in another folder.
    const file = resolve(address);
    const folder = dirname(file);
    // A new store in place of a volume that is not mounted would publish every key again.
    if (!isDefault && world.openFile === undefined && !existsSync(folder))
      throw new UsageError(
        `There is no folder ${folder} for the store ${file}. Nothing was sent. Correct ${source}, mount the volume, or create ` +
          'the folder.',
      );
    return { kind, address: file, name: file, option: file, warnings: fileWarnings(world), isDefault };
  }
  const url = parseUrl(address);
  if (url === undefined) throw notUrl(source);
  const { names, instead } = ignoredParameters[kind];
  const ignored = [...url.searchParams.keys()].find((name) => names.test(name));
  if (ignored !== undefined)
    throw new UsageError(`${source} has the parameter ${ignored}, which the driver ignores. ${instead}`);
  const { username, password, protocol, host, pathname, search } = url;
  const secrets = secretParameters(search);
  // A password that is not encoded can end up in another part of the URL. Only Postgres accepts a user without a password.
  const mayBeInUser = address.includes('@') && !/^postgres(?:ql)?:\/\/[^:/?#@%]+@[^@]*$/i.test(address);
  const mayHavePassword = password !== '' || mayBeInUser || secrets.length > 0;
  if (option !== undefined && mayHavePassword)
    throw new UsageError(`--store cannot contain a password: other users can read arguments. Set ${variable} instead.`);
  for (const secret of [password, decoded(password, source), ...secrets]) output.hide(secret);
  decoded(username, source);
  if (address.includes('@') && !/^[^/]*:\/\/[^/?#]*@/.test(address)) throw notUrl(source);
  const safe = mayHavePassword ? undefined : address;
  return { kind, address, name: `${protocol}//${host}${pathname}`, option: safe, isDefault };
}

/** The values of parameters such as `password` and `sslpassword`, as they are written and decoded. */
function secretParameters(search: string): string[] {
  const written = search.split(/[?&]/).map((part) => {
    const [name = '', ...values] = part.split('=');
    return [name, values.join('=')] as const;
  });
  return [...new URLSearchParams(search), ...written].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/** @throws UsageError a `%` is not part of an encoded character; the drivers refuse such a URL */
function decoded(text: string, source: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUrl(source);
  }
}

function notUrl(source: string): UsageError {
  return new UsageError(
    `${source} is not a URL. In a user or a password, write characters such as # % / ? @ as %23 %25 %2F %3F %40.`,
  );
}

function kindOf(address: string, source: string): StorePlace['kind'] {
  if (address === '') throw new UsageError(`${source} is empty. Set it to a file or a URL, or unset it.`);
  if (/^[\s"'~]|[\s"']$/.test(address))
    throw new UsageError(
      `${source} must not begin with ~, and must not have quotes or white space around it. Cron, systemd and .env files do ` +
        'not expand ~, and Docker keeps quotes. Write the whole path, without quotes.',
    );
  if (address === ':memory:')
    throw new UsageError(`${source} must be a file or a URL, not ':memory:': a store in memory forgets every key.`);
  if (/^file:/i.test(address)) throw new UsageError(`${source} must be the path of the file, without 'file:'.`);
  if (/^postgres(?:ql)?:/i.test(address)) return 'postgres';
  if (/^rediss?:/i.test(address)) return 'redis';
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address) ?? [];
  if (scheme !== undefined)
    throw new UsageError(`The store must be a file, postgres://… or redis://…, not ${scheme}://….`);
  return 'file';
}

function fileWarnings({ env }: World): string[] | undefined {
  if (['', 'false', '0', undefined].includes(env['CI'])) return undefined;
  return [`This store is a file on a CI machine: a later job cannot see it, and can publish again. Set ${variable}.`];
}

/** Whether the store is a file that does not exist. */
export function isMissing({ world }: Session, { kind, address }: StorePlace): boolean {
  return kind === 'file' && world.openFile === undefined && !existsSync(address);
}

/** Called with a setting of the store that can break the guarantee. */
type OnWarning = (message: string) => void;

/** How a command uses its store. */
export interface StoreUse {
  /**
   * What follows if the file of the store, or its table in Postgres, does not exist. Default: it is created. `empty`:
   * nothing is created, and the store is empty. `refuse`: throws for a file with another name than the default, because a
   * misspelt name must not look like an empty store. The default file, and a table, are created.
   */
  readonly ifMissing?: 'refuse' | 'empty';
  /** Default: the warning is noted. */
  readonly onWarning?: OnWarning;
}

/** Opens the store that the options name, does the work, and closes the store. */
export async function withStore<Result>(
  session: Session,
  use: StoreUse,
  work: (store: DurableStore, place: StorePlace) => Promise<Result>,
): Promise<Result> {
  const place = findStore(session);
  const { store, close } = await openStore(session, place, use);
  try {
    return await work(store, place);
  } finally {
    await close();
  }
}

async function openStore(session: Session, place: StorePlace, use: StoreUse): Promise<OpenCommandStore> {
  const { kind, address, name, warnings, isDefault } = place;
  const { ifMissing } = use;
  const onWarning =
    use.onWarning ??
    ((message: string) => {
      session.output.note(message);
    });
  if (ifMissing !== undefined && isMissing(session, place)) {
    if (ifMissing === 'empty') return { store: new MemoryDurableStore(), close: () => undefined };
    if (!isDefault)
      throw new UsageError(`There is no store ${name}. Nothing was created. Check --store and ${variable}.`);
  }
  for (const warning of warnings ?? []) onWarning(warning);
  const openers = { file: session.world.openFile ?? openFile, postgres: openPostgres, redis: openRedis };
  try {
    return await openers[kind](address, onWarning, ifMissing);
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigurationError) throw error;
    // The command has written no item yet, so the advice of a store in use does not apply.
    const reason = messageOf(error)
      .replace(/ A write may have happened\..*$/s, '')
      .replace(/\.$/, '');
    const message = `The store ${name} cannot be used: ${reason}. Nothing was sent.`;
    throw new CommandError(message, exitCodes.failure, 'Fix this, then run the command again.');
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
  return { store, close: () => store.close() };
}

/** The parts of a pool that the command uses in addition to the store. */
type InstalledPool = ConstructorParameters<typeof PostgresStore>[0] & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
};

/** The maximum time without a reply from a server. */
const silenceMs = 5_000;

async function openPostgres(
  connectionString: string,
  onWarning: OnWarning,
  ifMissing: StoreUse['ifMissing'],
): Promise<OpenCommandStore> {
  // The part of pg that the command uses.
  const { Pool } = (await importDriver('pg')) as { Pool: new (options: object) => InstalledPool };
  const pool = new Pool({ connectionString, connectionTimeoutMillis: silenceMs, query_timeout: 2 * silenceMs });
  // Without a listener, a lost connection ends the process. The next call reports it.
  pool.on('error', () => undefined);
  const { PostgresStore } = await import('../stores/postgres/index.js');
  const store = new PostgresStore(pool, { onWarning });
  const close = () => pool.end();
  if (ifMissing === 'empty' && !(await hasTable(store))) return { store: new MemoryDurableStore(), close };
  await store.setup();
  return { store, close };
}

async function hasTable(store: PostgresStore): Promise<boolean> {
  try {
    await store.scan('', undefined, 1);
    return true;
  } catch (error) {
    // The state undefined_table of Postgres.
    if (error instanceof Error && codeOf(error.cause) === '42P01') return false;
    throw error;
  }
}

type RedisClient = ConstructorParameters<typeof RedisStore>[0] & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
};

const mostReconnects = 4;

async function openRedis(url: string, onWarning: OnWarning): Promise<OpenCommandStore> {
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
