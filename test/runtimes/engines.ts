import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { program, run, type App, type Check } from './app.js';
import { nodeOf } from './nodes.js';
import { accessKey, starterOf, steps, whileServed, type Program } from './served.js';

/** A runtime that is not Node's: it runs a program against a server and resolves to its output. */
export interface Engine {
  readonly id: string;
  readonly where: string;
  version(app: App): Promise<string>;
  run(app: App, program: Program, baseUrl: string): Promise<string>;
}

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

/** Runs a program in a process of the runtime. */
function processEngine(id: string, where: string, path: () => Promise<string>, args: readonly string[] = []): Engine {
  return {
    id,
    where,
    version: async (app) => {
      const [version = ''] = /\d+\.\d+\.\d+/.exec(await run(await path(), ['--version'], app.folder)) ?? [];
      return version;
    },
    run: async (app, name, baseUrl) => {
      const module = app.write(`${name}-run.mjs`, starterOf(name));
      return run(await path(), [...args, module], app.folder, { BASE_URL: baseUrl });
    },
  };
}

const denoArgs = ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual'];

const bun = processEngine('bun', 'Bun', () => program('bun@1.4.5', 'bun'), ['run']);
const deno = processEngine('deno', 'Deno', () => program('deno@2.9.6', 'deno'), denoArgs);

const workerd: Engine = {
  id: 'workerd',
  where: 'workerd (miniflare)',
  version: async (app) => {
    await app.install('miniflare@4.20260730.0');
    return installedVersion(app, 'workerd');
  },
  run: async (app, name, baseUrl) => {
    const worker = await bundle(
      app,
      `import run from './${name}.mjs';
       export default {
         async fetch(request, env) {
           try {
             return Response.json({ done: await run({ baseUrl: env.BASE_URL, accessKey: '${accessKey}' }) });
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
    return run(await nodeOf('24'), [host], app.folder, { BASE_URL: baseUrl });
  },
};

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export const chromium: Engine = {
  id: 'chromium',
  where: 'Chromium, headless',
  version: async (app) => {
    const printed = await run(chromiumPath, ['--version'], app.folder).catch(() => {
      throw new Error(
        `There is no Chromium at ${chromiumPath}. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`,
      );
    });
    await app.install('playwright-core@1.65.1');
    const [, version = printed.trim()] = /Chromium (\S+)/.exec(printed) ?? [];
    return version;
  },
  run: async (app, name, baseUrl) => {
    const code = `import run from './${name}.mjs';
       globalThis.outcome = run({ baseUrl: location.origin, accessKey: null });`;
    app.write('page.js', await bundle(app, code, ['browser', 'import']));
    const browse = app.write(
      'chromium.mjs',
      `import { chromium } from 'playwright-core';
       const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'];
       const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args });
       try {
         const page = await browser.newPage();
         await page.goto(process.env.PAGE_URL);
         await page.addScriptTag({ path: 'page.js', type: 'module' });
         console.log(JSON.stringify(await page.evaluate(() => globalThis.outcome)));
       } finally {
         await browser.close();
       }`,
    );
    return run(process.execPath, [browse], app.folder, { PAGE_URL: baseUrl, CHROMIUM: chromiumPath });
  },
};

/** Serves an empty page, and a proxy to the service: the key stays here, as the docs recommend. */
async function whileHosted<T>(service: string, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const { url = '/', method = 'GET' } = request;
    if (!url.startsWith('/v1/')) {
      response.setHeader('content-type', 'text/html').end('<!doctype html>');
    } else {
      void (async () => {
        const sent = await text(request);
        const headers = { 'content-type': 'application/json', 'x-access-key': accessKey };
        const reply = await fetch(service + url, { method, headers, ...(sent !== '' && { body: sent }) });
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
      })();
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

const all: readonly Engine[] = [bun, deno, workerd, chromium];

/** The smoke suite on each runtime. */
export const engines: readonly Check[] = all.map((engine) => ({
  id: engine.id,
  where: engine.where,
  what: engine === chromium ? 'smoke suite, key added by the back end' : 'smoke suite',
  run: async (app) => {
    const version = await engine.version(app);
    const printed = await whileServed(app, (service) => {
      const runAt = (baseUrl: string) => engine.run(app, 'smoke', baseUrl);
      return engine === chromium ? whileHosted(service, runAt) : runAt(service);
    });
    return { version, result: steps(printed) };
  },
}));

/** The engines of the border part, the oldest version of a runtime first. */
export const borderEngines: readonly Engine[] = [
  // Node 24.14 to 26.0 read a 401 to a body that is a stream in another way than the newest versions.
  ...['20', '22', '24.15', '24', '26'].map((wanted) => processEngine(`node${wanted}`, 'Node.js', () => nodeOf(wanted))),
  processEngine('bun13', 'Bun', () => program('bun@1.3.11', 'bun'), ['run']),
  ...all,
];
