import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ProgramMissing } from '../../support/temporary-servers.js';
import type { LosableStore } from './run.js';
import type { Server } from './servers.js';

/** A disk writes this number of bytes at once. */
const sector = 512;

/** A file of SQLite on a machine whose power is cut. */
export function startSqliteMachine(pragmas: readonly string[] | undefined): LosableStore & Server {
  const library = buildLibrary();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'social-publishing-power-')));
  const [folder, disk] = [join(root, 'folder'), join(root, 'disk')];
  for (const path of [folder, disk]) mkdirSync(path);
  let cuts = 0;
  return {
    spec: { kind: 'sqlite', file: join(folder, 'chaos.db'), pragmas },
    env: { LD_PRELOAD: library, POWER_FOLDER: folder, POWER_DISK: disk },
    begin: () => {
      replace(disk, readAll(folder));
    },
    fail: (processes) => {
      processes.killAll();
      cuts += 1;
      // The system may have written some sectors by itself, in any order.
      const left = afterCut(readAll(disk), readAll(folder), cuts % 2 === 0 ? 0 : 0.5);
      replace(folder, left);
      replace(disk, left);
      return Promise.resolve();
    },
    stop: () => {
      rmSync(root, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

type Files = ReadonlyMap<string, Buffer>;

function afterCut(disk: Files, folder: Files, written: number): Files {
  return new Map([...disk].map(([name, synced]) => [name, withSectors(synced, folder.get(name) ?? synced, written)]));
}

/**
 * Returns the content of a file after a power cut.
 * @param synced its content at its last fsync
 * @param last its content at the cut
 * @param written the probability that a sector was written without an fsync
 */
function withSectors(synced: Buffer, last: Buffer, written: number): Buffer {
  if (written === 0) return synced;
  const left = Buffer.alloc(Math.max(synced.length, last.length));
  synced.copy(left);
  for (let at = 0; at < last.length; at += sector) if (Math.random() < written) last.copy(left, at, at, at + sector);
  return left;
}

function readAll(folder: string): Files {
  // SQLite never syncs its index of the WAL, and builds it again.
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && !name.endsWith('-shm'));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

function replace(folder: string, files: Files): void {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
}

/** @throws ProgramMissing */
function buildLibrary(): string {
  if (process.platform !== 'linux' || !existsSync('/proc/self/fd'))
    throw new ProgramMissing('The power cuts of SQLite need Linux.');
  const library = resolve('.tmp/chaos/power-loss.so');
  mkdirSync('.tmp/chaos', { recursive: true });
  const { status, stderr, error } = spawnSync(
    'gcc',
    [
      '-shared',
      '-fPIC',
      '-O2',
      '-Wall',
      '-Werror',
      '-Wno-format-truncation',
      '-o',
      library,
      'test/chaos/failover/power-loss.c',
    ],
    { encoding: 'utf8' },
  );
  if (error !== undefined)
    throw new ProgramMissing('gcc is not installed. Debian and Ubuntu: apt-get install gcc libc6-dev.');
  if (status !== 0) throw new Error(`gcc failed: ${stderr}`);
  return library;
}
