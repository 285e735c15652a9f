import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { bundled, bundledInCommand, bundledInConsole } from '../../scripts/bundled.js';
import { packed } from '../../maintenance/release/packed.js';
import { allRoutes } from '../../src/emulator/adapters/control/api.js';
import { controlDocument } from '../../src/emulator/adapters/control/openapi.js';
import { app, entries, evaluate, installed, run, write } from './support/app.js';

const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;

/** Both module systems must print the same, in both spellings. */
const instances = `
  const codes = [];
  try { new main.SocialPublishing({ baseUrl: 'nonsense', accessKey: 'k' }); } catch (error) {
    codes.push(error instanceof webhooks.ConfigurationError, error instanceof webhooks.SocialPublishingError);
  }
  try { await webhooks.verifyWebhook({ body: '{}', headers: {}, secret: 's3cret-value' }); } catch (error) {
    codes.push(error instanceof main.WebhookVerificationError, error instanceof main.SocialPublishingError);
  }
  codes.push(main.PublishError === webhooks.PublishError, main.verifyWebhook === webhooks.verifyWebhook);
  console.log(JSON.stringify(codes));
`;

/** A whole call: an entry that loads is not yet an entry that works. */
const call = `
  const service = emulator.createEmulator({ accessKey: 'test-key' });
  const { id } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const client = new main.SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch });
  await client.posts.create({ content: 'Hi', platforms: [{ platform: 'bluesky', accountId: id }], scheduledFor: '2099-01-01T00:00:00Z' });
  const posts = await client.posts.list().toArray();
  let refused;
  try { await client.integrations.get('unknown'); } catch (error) { refused = error instanceof main.ApiError; }
  console.log(JSON.stringify({ contents: posts.map((post) => post.content), refused }));
`;

/** The first call of a program, with no turn of the event loop. */
const firstCall = `
  const urls = [];
  const fetch = (url) => (urls.push(url), new Promise(() => undefined));
  const client = new main.SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'test-key', fetch, timeoutMs: 1 });
  client.posts.create({ content: 'Hi', saveAsDraft: true }).catch(() => undefined);
  for (let turn = 0; turn < 100; turn += 1) await undefined;
  console.log(JSON.stringify(urls));
`;

/** The description of the control API, which the build writes into the bundle. */
const description = `
  const served = await node.serveEmulator(emulator.createEmulator(), { console: true });
  const reply = await fetch(served.url + '/_emulator/openapi.json');
  console.log(await reply.text());
  await served.close();
`;

const systems = {
  ESM: {
    file: 'mjs',
    load: (names: Readonly<Record<string, string>>) =>
      Object.entries(names)
        .map(([name, entry]) => `import * as ${name} from '${entry}';`)
        .join('\n'),
  },
  CommonJS: {
    file: 'cjs',
    load: (names: Readonly<Record<string, string>>) =>
      Object.entries(names)
        .map(([name, entry]) => `const ${name} = require('${entry}');`)
        .join('\n'),
  },
};
const wrap = (system: keyof typeof systems, imports: Record<string, string>, body: string) =>
  `${systems[system].load(imports)}\n(async () => {${body}})();`;

describe.each(['ESM', 'CommonJS'] as const)('the installed package in %s', (system) => {
  const { file } = systems[system];

  it('describes the control API as its routes say', async () => {
    const imports = { emulator: 'social-publishing/emulator', node: 'social-publishing/emulator/node' };
    const described = await evaluate(`description.${file}`, wrap(system, imports, description));
    expect(described).toEqual(JSON.parse(JSON.stringify(controlDocument(allRoutes))));
  });

  it('has the same classes in the main entry and in webhooks', async () => {
    const imports = { main: 'social-publishing', webhooks: 'social-publishing/webhooks' };
    const codes = await evaluate(`instances.${file}`, wrap(system, imports, instances));
    expect(codes).toEqual([true, true, true, true, true, true]);
  });

  it('sends the first call without reading a file first', async () => {
    const requests = await evaluate(`first-call.${file}`, wrap(system, { main: 'social-publishing' }, firstCall));
    expect(requests).toEqual(['https://api.test/v1/posts/']);
  });

  it('makes a whole call against the emulator', async () => {
    const imports = { main: 'social-publishing', emulator: 'social-publishing/emulator' };
    const result = await evaluate(`call.${file}`, wrap(system, imports, call));
    expect(result).toEqual({ contents: ['Hi'], refused: true });
  });

  it('has stores over the caller’s own clients, and the contract of a store', async () => {
    const imports = {
      sqlite: 'social-publishing/stores/sqlite',
      postgres: 'social-publishing/stores/postgres',
      redis: 'social-publishing/stores/redis',
      testing: 'social-publishing/stores/testing',
      main: 'social-publishing',
    };
    const used = `
      const results = {};
      const answers = { EVAL: 1, INFO: 'redis_version:7.0.0', CONFIG: [] };
      const overRedis = new redis.RedisStore(async (command) => answers[command]);
      results.redis = (await overRedis.insert('a', 'x', null)) >= 1;
      const settings = [['150000', 'UTF8', 'on', 'on']];
      const overPostgres = new postgres.PostgresStore({ getTransactionStatus: () => 'I', query: async ({ text }) => ({ rows: /^SELECT current/.test(text) ? settings : /pg_stat_replication/.test(text) ? [['0', '0']] : [[1]] }) });
      results.postgres = (await overPostgres.insert('a', 'x', null)) >= 1;
      try { await overPostgres.get('\\0'); } catch (error) { results.refused = error instanceof main.InvalidRequestError; }
      try { results.sqlite = (await new sqlite.SqliteStore(':memory:').insert('a', 'x', null)) >= 1; } catch (error) {
        results.sqlite = error instanceof main.ConfigurationError && /from 22.13 on/.test(error.message);
      }
      const names = [];
      testing.testDurableStore(() => overRedis, { describe: (name, define) => define(), it: (name) => names.push(name) });
      results.contract = names.length > 20;
      console.log(JSON.stringify(results));
    `;
    expect(await evaluate(`stores.${file}`, wrap(system, imports, used))).toEqual({
      redis: true,
      postgres: true,
      refused: true,
      sqlite: true,
      contract: true,
    });
  });

  it('reports a call to OpenTelemetry, and fits the hooks of the client', async () => {
    const imports = { main: 'social-publishing', otel: 'social-publishing/otel' };
    const used = `
      const events = [];
      const span = { setAttribute() {}, setAttributes() {}, setStatus() {}, addEvent() {}, end: () => events.push('end'), spanContext: () => ({}) };
      const tracer = { startSpan: (name) => (events.push(name), span) };
      const fetch = async () => Response.json({ success: true, total: 0, posts: [] });
      const hooks = [otel.otelHooks({ tracer }), main.logHooks({ debug() {}, info: (text) => events.push(text.split(' in ')[0]), warn() {}, error() {} })];
      await new main.SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'k', fetch, hooks }).posts.list();
      try { otel.otelHooks({ trace: 1 }); } catch (error) { events.push(error instanceof main.ConfigurationError); }
      console.log(JSON.stringify(events));
    `;
    const told = ['GET /v1/posts/', 'GET /v1/posts/ 200', 'end', true];
    expect(await evaluate(`otel.${file}`, wrap(system, imports, used))).toEqual(told);
  });

  it('serves the emulator on a socket', async () => {
    const imports = {
      main: 'social-publishing',
      emulator: 'social-publishing/emulator',
      node: 'social-publishing/emulator/node',
    };
    const served = `
      const service = emulator.createEmulator({ accessKey: 'test-key' });
      const { url, close } = await node.serveEmulator(service, { port: 0 });
      const client = new main.SocialPublishing({ baseUrl: url, accessKey: 'test-key' });
      const page = await client.posts.list();
      await close();
      console.log(JSON.stringify(page.items));
    `;
    expect(await evaluate(`serve.${file}`, wrap(system, imports, served))).toEqual([]);
  });
});

it.each(entries)('%s exports the same names in both module systems', async (entry) => {
  const esm = `import * as names from '${entry}'; console.log(JSON.stringify(Object.keys(names).sort()));`;
  const cjs = `console.log(JSON.stringify(Object.keys(require('${entry}')).sort()));`;
  const path = `names-${entry.replaceAll('/', '-')}`;
  const names = await evaluate(`${path}.mjs`, esm);
  expect(names).not.toEqual([]);
  expect(await evaluate(`${path}.cjs`, cjs)).toEqual(names);
});

it('exports the classes and functions for catching and verifying', async () => {
  const names = await evaluate(
    'surface.mjs',
    `import * as main from 'social-publishing'; import * as webhooks from 'social-publishing/webhooks';
     console.log(JSON.stringify([Object.keys(main), Object.keys(webhooks)]));`,
  );
  const [main, webhooks] = names as [string[], string[]];
  const shared = [
    'SocialPublishingError',
    'WebhookVerificationError',
    'ConfigurationError',
    'PublishError',
    'verifyWebhook',
    'signWebhook',
    'createWebhookReceiver',
    'targetResults',
  ];
  expect(webhooks).toEqual(expect.arrayContaining(shared));
  expect(main).toEqual(
    expect.arrayContaining([
      ...shared,
      'SocialPublishing',
      'responseOf',
      'InvalidRequestError',
      'CreditLimitError',
      'ConnectionError',
      'TimeoutError',
      'ApiError',
      'AuthenticationError',
      'PermissionError',
      'NotFoundError',
      'RateLimitError',
      'ServerError',
      'RedirectError',
      'ResponseError',
      'PaginationError',
      'isKnownPlatform',
    ]),
  );
});

/** Globals of Node that load all of fetch as soon as they are read, which takes longer than the package itself. */
const lazyGlobals = ['Request', 'Response', 'Headers', 'FormData', 'WebSocket', 'EventSource'];

it.each(['', '/webhooks', '/schemas', '/emulator'])(
  'social-publishing%s reads no global at import that would load fetch',
  async (entry) => {
    const traps = `
    const read = [];
    for (const name of ${JSON.stringify(lazyGlobals)}) {
      const found = Object.getOwnPropertyDescriptor(globalThis, name);
      if (found) Object.defineProperty(globalThis, name, { configurable: true, get() { read.push(name); return found.get ? found.get() : found.value; } });
    }
  `;
    const path = `globals${entry.replaceAll('/', '-')}`;
    const esm = `${traps} await import('social-publishing${entry}'); console.log(JSON.stringify(read));`;
    const cjs = `${traps} require('social-publishing${entry}'); console.log(JSON.stringify(read));`;
    expect(await evaluate(`${path}.mjs`, esm)).toEqual([]);
    expect(await evaluate(`${path}.cjs`, cjs)).toEqual([]);
    // The trap itself works.
    expect(await evaluate(`${path}-read.mjs`, `${traps} void Request; console.log(JSON.stringify(read));`)).toEqual([
      'Request',
    ]);
  },
);

it('says in its manifest that importing has no side effects, and depends on nothing but zod', () => {
  expect(manifest['sideEffects']).toBe(false);
  expect(Object.keys(manifest['dependencies'] as object)).toEqual(['zod']);
  expect(manifest['peerDependenciesMeta']).toEqual({
    '@modelcontextprotocol/server': { optional: true },
    '@opentelemetry/api': { optional: true },
    msw: { optional: true },
  });
  expect(manifest['engines']).toEqual({ node: '>=22' });
});

it('names the licences of the packages that are bundled in it', () => {
  const text = readFileSync(join(installed, 'dist/THIRD_PARTY_LICENSES.md'), 'utf8');
  const named = [...text.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name);
  expect(named).toEqual([...bundled, ...bundledInCommand, ...bundledInConsole]);
  expect(text.match(/Permission is hereby granted/g)).toHaveLength(named.length);
});

it('holds no source map, source or test but the examples that its documents name', async () => {
  const { output } = await run('find', [installed, '-type', 'f']);
  const files = output
    .trim()
    .split('\n')
    .map((path) => path.slice(installed.length + 1));
  const unexpected = files.filter((path) => !packed.some((pattern) => pattern.test(path)));
  expect(unexpected).toEqual([]);
  expect(files).toContain('LICENSE');
});

it('starts the emulator by its command', async () => {
  const { code, output } = await run(join(app, 'node_modules/.bin/social-publishing'), ['emulator', '--help']);
  expect(output).toContain('Usage: social-publishing emulator');
  expect(code).toBe(0);
});

it('starts the command, with the MCP server in it and no package beside it', async () => {
  const command = join(app, 'node_modules/.bin/social-publishing');
  const help = await run(command, ['--help']);
  expect(help.output).toContain('Usage: social-publishing');
  const mcp = await run(command, ['mcp', '--max-credits', 'x', '--base-url', 'https://api.example.com']);
  expect(mcp.code).toBe(2);
  const files = (await run('find', [join(installed, 'dist/command'), '-name', '*.js'])).output.trim().split('\n');
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\()"([@a-z][^"]*)"/g)].map(([, name = '']) => name),
  );
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

it('copies an example program out of the package, once, and the copy runs', async () => {
  const command = join(app, 'node_modules/.bin/social-publishing');
  rmSync(join(app, 'token-health.ts'), { force: true });
  const first = await run(command, ['new', 'token-health']);
  expect([first.code, JSON.parse(first.output)]).toMatchObject([0, { file: 'token-health.ts' }]);
  expect((await run(command, ['new', 'token-health'])).code).toBe(1);
  const code = transformSync(readFileSync(join(app, 'token-health.ts'), 'utf8'), { loader: 'ts', format: 'esm' }).code;
  const { output } = await run(process.execPath, [write('token-health.mjs', code), '--help']);
  expect(output).toContain('Usage: token-health');
});

describe('a runtime that makes no code of strings', () => {
  it('runs the client, the emulator and the verifier: no eval and no new Function', async () => {
    const file = write(
      'no-eval.mjs',
      `
      import { SocialPublishing, signWebhook, verifyWebhook } from 'social-publishing';
      import { createEmulator } from 'social-publishing/emulator';
      const { fetch } = createEmulator({ accessKey: 'key' });
      const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch });
      const { postId } = await client.posts.create({ content: 'Hello', saveAsDraft: true });
      const posts = await client.posts.list().toArray();
      const body = JSON.stringify({ id: 'event_1', type: 'other' });
      const secret = 'a signing secret';
      const event = await verifyWebhook({ body, headers: await signWebhook({ body, secret }), secret });
      let forbidden = false;
      try { new Function('return 1')(); } catch { forbidden = true; }
      console.log(JSON.stringify([forbidden, posts[0].postId === postId, event.known]));
      `,
    );
    const { code, output } = await run(process.execPath, ['--disallow-code-generation-from-strings', file]);
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual([true, true, false]);
  });
});
