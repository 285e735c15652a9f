import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** The packages to install, outside of this repository. */
const packages = {
  miniflare: '4.20260730.0',
  bun: '1.4.5',
  'better-sqlite3': '12.11.1',
  '@neondatabase/serverless': '1.2.0',
  ws: '8.23.0',
  '@dbos-inc/dbos-sdk': '5.3.0',
  '@temporalio/client': '1.24.0',
  '@temporalio/worker': '1.24.0',
  '@temporalio/workflow': '1.24.0',
  '@tanstack/react-query': '5.108.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  '@types/react': '19.3.0',
  '@types/react-dom': '19.3.0',
  next: '16.4.6',
} as const;

export type PackageName = keyof typeof packages;

const folder = join(tmpdir(), 'social-publishing-handle-drivers');

/** Installs a package where no earlier run did. Rejects if the machine cannot. */
export async function install(name: PackageName): Promise<void> {
  if (versionOf(name) === packages[name]) return;
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: 'drivers', private: true }));
  await promisify(execFile)(
    'npm',
    ['install', '--no-audit', '--no-fund', '--save-exact', `${name}@${packages[name]}`],
    { cwd: folder, timeout: 300_000 },
  );
}

/** The folder in which the packages are. */
export const driverFolder = folder;

/** The version that is installed. */
export function versionOf(name: PackageName): string | undefined {
  const manifest = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** The ES module of a package, if `require` finds another file. */
const modules: Partial<Record<PackageName, string>> = { '@neondatabase/serverless': 'index.mjs', ws: 'wrapper.mjs' };

/** The address of an installed module, for `import()`. */
export function moduleOf(name: PackageName): string {
  const module = modules[name];
  const path =
    module === undefined
      ? createRequire(join(folder, 'package.json')).resolve(name)
      : join(folder, 'node_modules', name, module);
  return pathToFileURL(path).href;
}

export function bunPath(): string {
  return join(folder, 'node_modules/.bin/bun');
}

/** The path of a Node that miniflare accepts: this one, or one from the npm package `node`. */
export function nodePath(): string {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const found = spawnSync('npx', ['-y', '-p', 'node@24', 'node', '-p', 'process.execPath'], { encoding: 'utf8' });
  return found.stdout.trim();
}
