/**
 * Runs the suite of `verifyWebhook` in workerd and in Chromium, as `npm test` runs it on Node, and the example of a
 * receiver in a Worker. An argument chooses one: `npm run check:verify --prefix maintenance -- workerd`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { signWebhook } from '../../src/webhooks/index.js';
import { published, secret, verifyCases } from '../webhooks/verify-suite.js';
import { program, run } from './app.js';

/** The results of the suite: one line for each failed case. */
interface Found {
  readonly cases: number;
  readonly wrong: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'social-publishing-verify-'));
const miniflare = 'miniflare@4.20260730.0';

/** The suite takes a second or two. If a page's script cannot be loaded, the page reports nothing. */
const patienceMs = 120_000;

/** Returns the suite as a module that passes a {@link Found} to `use`. */
const suite = (use: string) => `
  import { verifyWebhook } from './src/webhooks/index.ts';
  import { runVerifyCase, verifyCases } from './test/webhooks/verify-suite.ts';
  async function find() {
    const wrong = [];
    for (const verifyCase of verifyCases) {
      const what = await runVerifyCase(verifyWebhook, verifyCase);
      if (what !== undefined) wrong.push(verifyCase.name + ': ' + what);
    }
    return { cases: verifyCases.length, wrong };
  }
  ${use}`;

async function bundle(code: string): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return result.outputFiles[0]?.text ?? '';
}

/** Runs a callback while a Worker listens on loopback. */
async function whileWorking<T>(name: string, code: string, use: (url: string) => Promise<T>): Promise<T> {
  writeFileSync(join(folder, `${name}.mjs`), await bundle(code));
  const host = join(folder, `host-${name}.mjs`);
  writeFileSync(
    host,
    `import { Miniflare } from 'miniflare';
     const worker = new Miniflare({
       modules: true, scriptPath: ${JSON.stringify(`${name}.mjs`)}, compatibilityDate: '2026-01-01', port: 0,
       bindings: { WEBHOOK_SECRET: ${JSON.stringify(secret)} },
     });
     process.on('disconnect', () => worker.dispose());
     process.send(String(await worker.ready));`,
  );
  // miniflare requires a newer Node than this one may be.
  const child = spawn(await program('node@24', 'node'), [host], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (address: string) => {
        resolve(address);
      });
      child.once('exit', () => {
        reject(new Error('miniflare ended'));
      });
    });
    return await use(url);
  } finally {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    await ended;
  }
}

async function inWorkerd(): Promise<Found> {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', miniflare], folder);
  const wrong = await whileWorking('example', `export { default } from './examples/receivers/workers.ts';`, tryExample);
  const found = await whileWorking(
    'suite',
    suite('export default { fetch: async () => Response.json(await find()) };'),
    async (url) => (await (await fetch(url)).json()) as Found,
  );
  return { cases: found.cases + 1, wrong: [...wrong, ...found.wrong] };
}

/** Delivers to the example of a Worker on its socket. */
async function tryExample(url: string): Promise<string[]> {
  const body = JSON.stringify(published);
  const headers = await signWebhook({ body, secret });
  const statuses: number[] = [];
  const deliver = async (init: RequestInit) => statuses.push((await fetch(url, init)).status);
  await deliver({ method: 'POST', body, headers });
  await deliver({ method: 'POST', body, headers });
  await deliver({ method: 'POST', body: `${body} `, headers });
  await deliver({ method: 'POST', body: 'x'.repeat(2_000_000), headers });
  await deliver({ method: 'GET' });
  const expected = [200, 200, 401, 413, 405];
  return String(statuses) === String(expected)
    ? []
    : [`The example of a Worker answered ${String(statuses)} and not ${String(expected)}`];
}

async function inChromium(): Promise<Found> {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(path)) {
    throw new Error(
      `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`,
    );
  }
  const script = await bundle(
    suite(`
    const tell = (found) => fetch('/found', { method: 'POST', body: JSON.stringify(found) });
    await find().then(tell, (error) => tell({ cases: 0, wrong: [String(error)] }));`),
  );
  let tell: (found: Found) => void = () => undefined;
  const found = new Promise<Found>((resolve) => (tell = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/found')
      void json(request).then((told) => {
        tell(told as Found);
      });
    const isScript = request.url === '/suite.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/suite.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  const browser = spawn(
    path,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      ...quiet,
      `--user-data-dir=${join(folder, 'chromium')}`,
      url,
    ],
    {
      stdio: 'ignore',
    },
  );
  const ended = new Promise<never>((_, reject) =>
    browser.once('exit', () => {
      reject(new Error('Chromium ended'));
    }),
  );
  // It ends eventually, but nothing waits for it.
  ended.catch(() => undefined);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => {
      reject(new Error(`Chromium found nothing within ${String(patienceMs / 1000)} s.`));
    }, patienceMs).unref();
  });
  try {
    return await Promise.race([found, ended, late]);
  } finally {
    browser.kill();
    await ended.catch(() => undefined);
    server.closeAllConnections();
    server.close();
  }
}

const runtimes: Readonly<Record<string, () => Promise<Found>>> = { workerd: inWorkerd, chromium: inChromium };
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(runtimes, name));
try {
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(', ')}. Known: ${Object.keys(runtimes).join(', ')}.`);
  for (const [name, find] of Object.entries(runtimes)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const { cases, wrong } = await find();
    if (wrong.length > 0 || cases < verifyCases.length) process.exitCode = 1;
    console.log(
      `${name}: ${String(cases - wrong.length)} of ${String(cases)} cases as on Node${wrong.map((line) => `\n  ${line}`).join('')}`,
    );
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await removeFolder();
}

/** The child processes of a browser write for a moment after its end. */
async function removeFolder(): Promise<void> {
  for (let tries = 20; ; tries -= 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(250);
    }
  }
}
