/**
 * Checks openapi.json with other people's tools, `npm run check:openapi --prefix maintenance`. Redocly may report only the trailing slashes of
 * the documented paths, and must give the document a good score. The clients that two generators write must compile and work with the emulator. The tools are
 * installed into a temporary folder.
 */
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { expected, heyApi, openapiFetch } from './generated-programs.js';
import { run } from '../../test/runtimes/app.js';

const tools = [
  '@redocly/cli@2.77.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.95.0',
  'typescript@5.9.3',
  '@types/node@22.20.5',
];

/** Out of 100, by this version of Redocly. */
const leastScore = 85;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'social-publishing-generators-')));
const inFolder = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(join(folder, 'node_modules/.bin', name), args, folder, { REDOCLY_TELEMETRY: 'off', ...env });
let failed = 0;
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  copyFileSync('openapi.json', join(folder, 'openapi.json'));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tools], folder);
  await check('Redocly reports only trailing slashes', lint);
  await check(`Redocly scores at least ${String(leastScore)}`, score);
  await check('the clients of both generators compile', compile);
  const service = createEmulator({ accessKey: 'test-key' });
  service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const served = await serveEmulator(service);
  try {
    for (const program of ['openapi-fetch', 'hey-api'])
      await check(`the client of ${program} publishes, lists and reads an error`, () => use(program, served.url));
  } finally {
    await served.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function check(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
    console.log(`passed  ${what}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function lint(): Promise<void> {
  const args = ['lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'];
  const skipped = ['--skip-rule', 'no-path-trailing-slash'];
  // The service's own paths may end with a slash.
  const text = await inFolder('redocly', [...args, ...skipped]);
  const { problems } = JSON.parse(text.slice(text.indexOf('{'))) as { readonly problems: readonly Problem[] };
  if (problems.length > 0) throw new Error(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
}

async function score(): Promise<void> {
  const text = await inFolder('redocly', ['score', 'openapi.json', '--format', 'json']);
  const { agentReadiness } = JSON.parse(text.slice(text.indexOf('{'))) as { readonly agentReadiness: number };
  if (agentReadiness < leastScore) throw new Error(`The score is ${String(agentReadiness)}.`);
}

interface Problem {
  readonly ruleId: string;
  readonly message: string;
}

async function compile(): Promise<void> {
  await inFolder('openapi-typescript', ['openapi.json', '-o', 'schema.ts']);
  await inFolder('openapi-ts', ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch']);
  writeFileSync(join(folder, 'openapi-fetch.ts'), openapiFetch);
  writeFileSync(join(folder, 'hey-api.ts'), heyApi);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'];
  await inFolder('tsc', [...options, '--moduleResolution', 'bundler', 'openapi-fetch.ts', 'hey-api.ts']);
}

async function use(name: string, url: string): Promise<void> {
  const loader = resolve('node_modules/tsx/dist/loader.mjs');
  const env = { BASE_URL: url, NODE_NO_WARNINGS: '1' };
  const printed = await run(process.execPath, ['--import', loader, join(folder, `${name}.ts`)], folder, env);
  if (printed.trim() !== expected) throw new Error(`it printed "${printed.trim()}", not "${expected}"`);
}
