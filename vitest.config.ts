import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { patienceMs } from './test/support/patience.js';

const tsconfig = JSON.parse(readFileSync(new URL('tsconfig.json', import.meta.url), 'utf8')) as {
  compilerOptions: { paths: Record<string, readonly [string]> };
};

/** Examples and some tests import the package by its name; here they run on the sources. Longer names stand first. */
export const alias = Object.entries(tsconfig.compilerOptions.paths)
  .sort(([a], [b]) => b.length - a.length)
  .map(([find, [path]]) => ({ find, replacement: fileURLToPath(new URL(path, import.meta.url)) }));

// Tests open real sockets on loopback; a hung one must not hang the run. A busy machine needs minutes for what an idle one
// does in a second, so no limit is below a minute: test/time-limits.test.ts checks them.
const testTimeout = 300_000;
const hookTimeout = 300_000;
const poll = { timeout: patienceMs };

const unit: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: {
    name: 'unit',
    include: ['{test,console/test}/**/*.test.ts', 'examples/*.test.ts'],
    // They have projects of their own.
    exclude: ['test/package/**', '**/*.{process,long}.test.ts', 'node_modules/**'],
    // Files share a process: each of its own would import the package again. A setup file keeps them apart.
    isolate: false,
    setupFiles: ['test/support/no-trace.ts'],
    expect: { poll },
    testTimeout,
    hookTimeout,
  },
};

/** Tests that start programs in processes of their own, or a compiler: `npm run test:processes`. */
const processes: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: {
    name: 'processes',
    include: ['test/**/*.process.test.ts'],
    expect: { poll },
    testTimeout,
    hookTimeout,
  },
};

/** Tests with thousands of intents, events or mistakes: `.ci/run` runs them. */
const long: TestProjectInlineConfiguration = {
  ...unit,
  test: { ...unit.test, name: 'long', include: ['test/**/*.long.test.ts'], exclude: ['node_modules/**'] },
};

/** Tests of how costs grow, which measure time: `.ci/run` runs them. */
const growth: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: { name: 'growth', include: ['bench/*.spec.ts'], testTimeout, hookTimeout },
};

/** Tests that need the packages of `examples/package.json`: `npm ci --prefix examples` first. */
const ofExamples: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: {
    name: 'examples',
    include: ['examples/{agent,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    expect: { poll },
    testTimeout,
    hookTimeout,
  },
};

/** Tests of the maintainers' tools, which need the packages of `maintenance/package.json`. */
const ofMaintenance: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: { name: 'maintenance', include: ['maintenance/test/**/*.test.ts'], testTimeout, hookTimeout },
};

/** The package as it is published: packed and installed first. Needs the build: `npm run check:package`. */
const packed: TestProjectInlineConfiguration = {
  test: {
    name: 'package',
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/install.ts'],
    testTimeout,
    hookTimeout: 240_000,
  },
};

/** Tests that send every operation over a socket, with each request that was carried out written down: maintenance/openapi/prism.ts. */
const requests: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: {
    name: 'requests',
    include: ['test/resources/wire-form.test.ts', 'test/emulator/contract.test.ts'],
    setupFiles: ['maintenance/openapi/record.ts'],
    expect: { poll },
    testTimeout,
  },
};

/** Stores on real servers, which need DATABASE_URL and REDIS_URL: `npm run test:stores` finds or starts them. */
const stores: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: {
    name: 'stores',
    // The examples of job engines need their packages: `npm ci --prefix examples`.
    include: [
      'test/stores/servers/*.spec.ts',
      ...(existsSync('examples/node_modules') ? ['examples/test/**/*.spec.ts'] : []),
    ],
    expect: { poll },
    testTimeout,
    hookTimeout,
  },
};

/** The emulator's console in a real Chromium, which needs the build: `npm run test:console` looks for both. */
const inBrowser: TestProjectInlineConfiguration = {
  resolve: { alias },
  test: { name: 'console', include: ['console/test/**/*.spec.ts'], expect: { poll }, testTimeout, hookTimeout },
};

/** The contract suite, with the installed package in the place of the sources that it imports: test/runtimes/main.ts. */
const runtimes: TestProjectInlineConfiguration = {
  plugins: [{ name: 'installed-package', enforce: 'pre', resolveId: installedInPlaceOfSource }],
  test: {
    name: 'runtimes',
    include: ['test/emulator/contract.test.ts', 'test/resources/wire-form.test.ts', 'test/webhooks/verify*.test.ts'],
    testTimeout,
  },
};

/** Which public entry holds what a test imports from a source file. */
const entries: Readonly<Record<string, string>> = {
  'index.js': 'index',
  'client.js': 'index',
  'core/call/response.js': 'index',
  'core/errors.js': 'index',
  'webhooks/index.js': 'webhooks',
  'emulator/index.js': 'emulator',
  'emulator/adapters/node.js': 'emulator/node',
  'emulator/adapters/msw.js': 'emulator/msw',
};

function installedInPlaceOfSource(source: string, importer: string | undefined): string | undefined {
  const [, path = ''] = /^(?:\.\.\/)+src\/(.+)$/.exec(source) ?? [];
  const entry = entries[path];
  if (entry === undefined || importer?.includes('/test/') !== true) return undefined;
  const installed = process.env['INSTALLED_PACKAGE'];
  if (installed === undefined) throw new Error('Run this by npm run test:runtimes');
  return join(installed, `dist/${entry}.${process.env['MODULE_SYSTEM'] === 'CommonJS' ? 'cjs' : 'js'}`);
}

const test = {
  // The default: every test that needs neither a build nor another process.
  project: 'unit',
  projects: [unit, long, processes, growth, ofExamples, ofMaintenance, packed, requests, stores, inBrowser, runtimes],
  reporters: ['default', 'json', './test/support/last-line.ts'],
  outputFile: { json: '.tmp/test.json' },
  teardownTimeout: patienceMs,
  // Many tests wait for sockets, programs and servers: one file more than cores keeps the cores busy meanwhile.
  maxWorkers: availableParallelism() + 1,
};

// Its types know `project` as an option of the command line alone, so it is no fresh object here.
export default defineConfig({ test });
