import { deepEqual, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page, type Response } from 'playwright-core';
import { build } from 'vite';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { driverFolder, type PackageName } from '../../handles/folder.js';
import { run } from '../../handles/start.js';
import { freePort } from '../../support/temporary-servers.js';
import { checkTypes } from './types.js';

const accessKey = 'key-that-no-page-may-show';
const posts = 45;
const packages: readonly PackageName[] = ['@tanstack/react-query', 'react', 'react-dom'];

/** The packages that the example needs. */
export const reactQueryPackages: readonly PackageName[] = [...packages, '@types/react', '@types/react-dom'];

/** Builds examples/react-query, and uses it in Chromium like a user. Resolves to `undefined` without Chromium. */
export async function runReactQuery(): Promise<object | undefined> {
  const types = join(driverFolder, 'node_modules/@types');
  checkTypes('react-query', packages, {
    compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'react' },
    paths: {
      'react/jsx-runtime': [join(types, 'react/jsx-runtime.d.ts')],
      'react-dom/client': [join(types, 'react-dom/client.d.ts')],
    },
  });
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return undefined;
  const folder = await buildPage();
  const service = createEmulator({ accessKey });
  for (let i = 1; i <= posts; i += 1) service.seed.post({ content: `Post ${String(i)}`, status: 'draft' });
  const served = await serveEmulator(service);
  const server = await startServer(folder, served.url);
  const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const seen = recordTraffic(page);
    await page.goto(server.url);
    const steps = await useAsUser(page, service);
    const withKey = [...filesWith(folder), ...(await seen())];
    if (withKey.length > 0) throw new Error(`The access key is in ${withKey.join(', ')}`);
    return { chromium: browser.version(), ...steps, accessKeyInPage: false };
  } finally {
    await browser.close();
    server.stop();
    await served.close();
  }
}

async function buildPage(): Promise<string> {
  const outDir = join(run, 'react-query');
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
    compilerOptions: { paths: Record<string, readonly [string]> };
  };
  // Longer names first: an alias also replaces the start of a path.
  const own = Object.entries(compilerOptions.paths).sort(([a], [b]) => b.length - a.length);
  await build({
    root: resolve('examples/react-query'),
    configFile: false,
    logLevel: 'error', // It warns about each "use client" of the libraries.
    resolve: {
      alias: [
        ...own.map(([find, [path]]) => ({ find, replacement: resolve(path) })),
        ...packages.map((find) => ({ find, replacement: join(driverFolder, 'node_modules', find) })),
      ],
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
    build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false },
  });
  return outDir;
}

async function startServer(folder: string, baseUrl: string): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/react-query/server.ts', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...{ PORT: String(port), SOCIAL_PUBLISHING_BASE_URL: baseUrl, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey },
    },
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return { url: `http://127.0.0.1:${String(port)}/`, stop: () => child.kill() };
}

/** Each step waits for its result, and fails with a timeout if it does not come. */
async function useAsUser(page: Page, service: Emulator): Promise<object> {
  const items = page.locator('li');
  await items.nth(19).waitFor();
  const first = await items.count();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await items.nth(39).waitFor();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await items.nth(posts - 1).waitFor();
  await page.getByLabel('Text').fill('Written in the page');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('draft: Written in the page').waitFor();
  const afterCreate = await items.count();
  const endFault = service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 403 });
  await page.getByLabel('Text').fill('Refused');
  await page.getByRole('button', { name: 'Save draft' }).click();
  const createError = await page.getByRole('alert').innerText();
  endFault();
  const endOutage = service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 403 });
  await page.reload();
  const listError = await page.getByRole('alert').innerText();
  endOutage();
  await page.getByRole('button', { name: 'Try again' }).click();
  await items.nth(19).waitFor();
  if (service.posts.length !== posts + 1) throw new Error(`There are ${String(service.posts.length)} posts.`);
  for (const shown of [createError, listError]) match(shown, /was refused with status 403/);
  const counts = { first, afterCreate, afterRetry: await items.count() };
  deepEqual(counts, { first: 20, afterCreate: posts + 1, afterRetry: 20 });
  return { ...counts, createError, listError };
}

/** Notes each request and reply of the page. The returned function resolves to the URLs of those with the access key. */
function recordTraffic(page: Page): () => Promise<string[]> {
  const replies: Response[] = [];
  page.on('response', (response) => replies.push(response));
  return async () => {
    const found = await Promise.all(
      replies.map(async (response) => {
        const request = response.request();
        const parts = [await request.allHeaders(), request.postData(), await response.allHeaders()];
        const text = `${JSON.stringify(parts)}${await response.text().catch(() => '')}`;
        return text.includes(accessKey) ? [response.url()] : [];
      }),
    );
    if (found.length === 0) throw new Error('The page made no request.');
    return found.flat();
  };
}

function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.\w+$/.test(name) && readFileSync(join(folder, name), 'utf8').includes(accessKey),
  );
}
