import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from 'redis';

/** A server for this run, on a free port of 127.0.0.1, with its files in a temporary folder. */
export interface TemporaryServer {
  readonly url: string;
  /** Kills it (SIGKILL) and starts it again on the same port and files. */
  restart(): Promise<void>;
  /** Kills it (SIGKILL), as a crash of its machine does. */
  kill(): Promise<void>;
  /** Ends it and deletes its files. */
  stop(): Promise<void>;
}

/** A missing program, with installation instructions. */
export class ProgramMissing extends Error {}

/** The exit code of a script if a program is missing: its tests were skipped, none failed. */
export const programMissing = 3;

/**
 * Starts Redis, which writes each command to disk before it replies.
 * @param primary a port of 127.0.0.1: the server becomes a replica of the server there
 * @param settings more settings of the server
 */
export async function startRedis({
  primary,
  settings: more = {},
}: { primary?: number; settings?: Readonly<Record<string, string>> } = {}): Promise<TemporaryServer> {
  if (spawnSync('redis-server', ['--version']).status !== 0)
    throw new ProgramMissing(
      'redis-server is not installed. Debian and Ubuntu: apt-get install redis-server. macOS: brew install redis.',
    );
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'social-publishing-redis-')), await freePort()];
  const settings = {
    ...{ port: String(port), bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'always' },
    ...{ 'maxmemory-policy': 'noeviction', loglevel: 'warning', 'auto-aof-rewrite-percentage': '0' },
    ...(primary === undefined ? {} : { replicaof: `127.0.0.1 ${primary}` }),
    ...{ 'repl-diskless-sync-delay': '0', ...more },
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const url = `redis://127.0.0.1:${port}`;
  return supervise({ url, folder, start: () => spawn('redis-server', args, { stdio: 'ignore' }), isUp: redisAnswers });
}

/**
 * Starts Postgres. It refuses to run as root, so it runs as the user postgres.
 * @param primary a port of 127.0.0.1: the server becomes a standby of the server there
 * @param name the name of a standby, for `synchronous_standby_names`
 */
export async function startPostgres({
  primary,
  name,
}: { primary?: number; name?: string } = {}): Promise<TemporaryServer> {
  const programs = findPostgres(['postgres', primary === undefined ? 'initdb' : 'pg_basebackup']);
  if (programs === undefined)
    throw new ProgramMissing(
      'Postgres is not installed. Debian and Ubuntu: apt-get install postgresql. macOS: brew install postgresql.',
    );
  const [folder, port, user] = [
    mkdtempSync(join(tmpdir(), 'social-publishing-postgres-')),
    await freePort(),
    otherUser(),
  ];
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder };
  const [program, settings] =
    primary === undefined
      ? ['initdb', ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']]
      : ['pg_basebackup', ['-R', '-c', 'fast', '-d', `host=127.0.0.1 port=${primary} user=postgres`]];
  // Not synchronous: the primary can be behind a proxy in this process.
  const made = spawn(join(programs, program), ['-D', data, ...settings], { ...options, stdio: 'ignore' });
  const [code] = (await once(made, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} failed with exit code ${String(code)}.`);
  const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  if (name !== undefined) args.push('-c', `cluster_name=${name}`);
  return supervise({
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    start: () => spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' }),
    isUp: postgresAnswers,
  });
}

interface Program {
  readonly url: string;
  readonly folder: string;
  readonly start: () => ChildProcess;
  readonly isUp: (url: string) => Promise<boolean>;
}

async function supervise({ url, folder, start, isUp }: Program): Promise<TemporaryServer> {
  let child = start();
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(late);
  };
  const untilUp = async () => {
    const giveUpAt = performance.now() + 30_000;
    while (!(await isUp(url))) {
      if (child.exitCode !== null) child = start(); // Postgres waits until the previous processes have ended.
      if (performance.now() > giveUpAt) throw new Error(`${child.spawnfile} did not start within 30 s.`);
      await sleep(100);
    }
  };
  // A killed Postgres leaves its shared memory behind.
  const endNow = () => child.kill('SIGINT');
  process.on('exit', endNow);
  await untilUp();
  return {
    url,
    restart: async () => {
      await end('SIGKILL');
      child = start();
      await untilUp();
    },
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGINT');
      process.off('exit', endNow);
      await sleep(200);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Whether a Postgres server responds at this address. */
export async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // The result of the query decides.
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether a Redis server responds at this address. */
export async function redisAnswers(url: string): Promise<boolean> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: 2_000 },
  });
  client.on('error', () => {}); // The result of the command decides.
  try {
    await client.connect();
    await client.ping();
    return true;
  } catch {
    return false;
  } finally {
    if (client.isOpen) client.destroy();
  }
}

function findPostgres(names: readonly string[]): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((name) => join(debian, name, 'bin')),
  ];
  return folders.find((folder) => names.every((name) => existsSync(join(folder, name))));
}

function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const numbers = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout));
  const [uid = 0, gid = 0] = numbers;
  if (!uid || !gid)
    throw new ProgramMissing(
      'Postgres does not run as root, and the user postgres does not exist. Run this as another user.',
    );
  return { uid, gid };
}

/** Returns a port of 127.0.0.1 that no program uses. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
