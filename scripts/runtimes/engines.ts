import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { program, run, type App, type Check } from './app.js';
import { accessKey, smokeModule, steps, whileServed } from './served.js';

const what = 'smoke suite';

/** Bundles a module of the app as a caller's bundler does, for a runtime without Node builtins. */
async function bundle(app: App, code: string, conditions: string[]): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: app.folder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions,
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return result.outputFiles[0]?.text ?? '';
}

const bun: Check = {
  id: 'bun',
  where: 'Bun',
  what,
  run: async (app) => {
    const path = await program('bun@1.4.5', 'bun');
    const module = app.write('smoke-run.mjs', smokeModule);
    const printed = await whileServed(app, (baseUrl) => run(path, ['run', module], app.folder, { BASE_URL: baseUrl }));
    return { version: (await run(path, ['--version'], app.folder)).trim(), result: steps(printed) };
  },
};

const deno: Check = {
  id: 'deno',
  where: 'Deno',
  what,
  run: async (app) => {
    const path = await program('deno@2.9.6', 'deno');
    const module = app.write('smoke-run.mjs', smokeModule);
    const printed = await whileServed(app, (baseUrl) =>
      run(
        path,
        ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual', module],
        app.folder,
        { BASE_URL: baseUrl },
      ),
    );
    const [, version = ''] = /^deno (\S+)/.exec(await run(path, ['--version'], app.folder)) ?? [];
    return { version, result: steps(printed) };
  },
};

const workerd: Check = {
  id: 'workerd',
  where: 'workerd (miniflare)',
  what,
  run: async (app) => {
    await app.install('miniflare@4.20260730.0');
    const worker = await bundle(
      app,
      `import * as main from 'social-publishing';
       import * as webhooks from 'social-publishing/webhooks';
       import { smoke } from './smoke.mjs';
       export default {
         async fetch(request, env) {
           try {
             return Response.json({ done: await smoke(main, webhooks, { baseUrl: env.BASE_URL, accessKey: '${accessKey}' }) });
           } catch (error) {
             return Response.json({ failed: String(error?.stack ?? error) });
           }
         },
       };`,
      ['workerd', 'worker', 'import'],
    );
    app.write('worker.mjs', worker);
    const host = app.write(
      'miniflare.mjs',
      `import { Miniflare } from 'miniflare';
       const miniflare = new Miniflare({
         modules: true, scriptPath: 'worker.mjs', compatibilityDate: '2026-01-01', bindings: { BASE_URL: process.env.BASE_URL },
       });
       const reply = await (await miniflare.dispatchFetch('http://worker.test/')).json();
       await miniflare.dispose();
       if (reply.failed) throw new Error(reply.failed);
       console.log(JSON.stringify(reply.done));`,
    );
    // miniflare requires a newer Node than this one may be.
    const node = await program('node@24', 'node');
    const printed = await whileServed(app, (baseUrl) => run(node, [host], app.folder, { BASE_URL: baseUrl }));
    return { version: installedVersion(app, 'workerd'), result: steps(printed) };
  },
};

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const chromium: Check = {
  id: 'chromium',
  where: 'Chromium, headless',
  what: `${what}, key added by the back end`,
  run: async (app) => {
    const version = await run(chromiumPath, ['--version'], app.folder).catch(() => {
      throw new Error(
        `There is no Chromium at ${chromiumPath}. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`,
      );
    });
    await app.install('playwright-core@1.65.1');
    const page = await bundle(
      app,
      `import * as main from 'social-publishing';
       import * as webhooks from 'social-publishing/webhooks';
       import { smoke } from './smoke.mjs';
       globalThis.outcome = smoke(main, webhooks, { baseUrl: location.origin, accessKey: null });`,
      ['browser', 'import'],
    );
    const browse = app.write(
      'chromium.mjs',
      `import { chromium } from 'playwright-core';
       const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'];
       const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args });
       try {
         const page = await browser.newPage();
         await page.goto(process.env.PAGE_URL);
         console.log(JSON.stringify(await page.evaluate(() => globalThis.outcome)));
       } finally {
         await browser.close();
       }`,
    );
    const printed = await whileServed(app, (baseUrl) =>
      whileHosted(baseUrl, page, (url) =>
        run(process.execPath, [browse], app.folder, { PAGE_URL: url, CHROMIUM: chromiumPath }),
      ),
    );
    const [, short = version.trim()] = /Chromium (\S+)/.exec(version) ?? [];
    return { version: short, result: steps(printed) };
  },
};

/** Serves the page, and a proxy to the service: the key stays here, as the docs recommend. */
async function whileHosted<T>(service: string, script: string, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const { url = '/', method = 'GET' } = request;
    if (url === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(script);
    } else if (!url.startsWith('/v1/')) {
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><script type="module" src="/page.js"></script>');
    } else {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
        const headers = { 'content-type': 'application/json', 'x-access-key': accessKey };
        void fetch(service + url, { method, headers, ...body }).then(async (reply) => {
          response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
        });
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    return await use(`http://127.0.0.1:${String(port)}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export function installedVersion(app: App, name: string): string {
  const manifest = readFileSync(join(app.folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

export const engines: readonly Check[] = [bun, deno, workerd, chromium];
