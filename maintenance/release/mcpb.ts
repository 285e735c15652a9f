/**
 * Builds `.tmp/social-publishing.mcpb` from the packed package, and checks it and `server.json`: the tool of the format
 * validates the manifest, and a client calls the unpacked server. Exits with 1 if something is wrong. Without network,
 * `-- --schema FILE` names a copy of the schema of `server.json`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTools } from '../../src/tools/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { SocialPublishing } from '../../src/index.js';

interface Package {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

const { version, description, license, keywords } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const bundle = resolve('.tmp/social-publishing.mcpb');
const folder = mkdtempSync(join(tmpdir(), 'social-publishing-mcpb-'));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const mcpb = (...args: string[]) => run('npx', '--yes', '--package', '@anthropic-ai/mcpb@2.1.2', '--', 'mcpb', ...args);

const setting = (title: string, about: string, also: object = {}) => ({
  type: 'string',
  title,
  description: about,
  ...also,
});

/** Node is a part of the host. The server needs no other package: dist/command is bundled. */
function manifest() {
  const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: null });
  const store = new MemoryDurableStore();
  const tools = createTools({ client, publisher: createPublisher({ client, store }), store });
  return {
    manifest_version: '0.3',
    name: 'social-publishing',
    display_name: 'Social publishing',
    version,
    description,
    author: { name: 'social-publishing maintainers' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'package/dist/command/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/package/dist/command/main.js', 'mcp', '--time-zone', '${user_config.time_zone}'],
        env: {
          SOCIAL_PUBLISHING_BASE_URL: '${user_config.base_url}',
          SOCIAL_PUBLISHING_ACCESS_KEY: '${user_config.access_key}',
        },
      },
    },
    tools: tools.map(({ name, description: about }) => ({ name, description: about })),
    user_config: {
      base_url: setting('Base URL', 'The address of the service.', { required: true }),
      access_key: setting('Access key', 'The access key of the service.', { required: true, sensitive: true }),
      time_zone: setting('Time zone', 'The IANA time zone of local times.', { default: 'UTC' }),
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=22.13.0' } },
  };
}

console.log(`server.json: ${await checkServerJson()}`);
try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { encoding: 'utf8' }),
  ) as [{ readonly filename: string }];
  run('tar', 'xzf', packed.filename);
  const content = join(folder, 'content');
  mkdirSync(join(content, 'package'), { recursive: true });
  for (const part of ['dist', 'package.json', 'openapi.json', 'LICENSE'])
    cpSync(join(folder, 'package', part), join(content, 'package', part), { recursive: true });
  // The package's own dependency.
  cpSync('node_modules/zod', join(content, 'package/node_modules/zod'), { recursive: true, dereference: true });
  writeFileSync(join(content, 'manifest.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  console.log(mcpb('validate', join(content, 'manifest.json')).trim());
  mkdirSync('.tmp', { recursive: true });
  mcpb('pack', content, bundle);
  mcpb('unpack', bundle, join(folder, 'unpacked'));
  console.log(
    `${bundle}: ${(statSync(bundle).size / 1000).toFixed(0)} kB. ${await callServer(join(folder, 'unpacked'))}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Checks `server.json` against the schema that it names. */
async function checkServerJson(): Promise<string> {
  const server = JSON.parse(readFileSync('server.json', 'utf8')) as { readonly $schema: string };
  const { schema: file } = parseArgs({ options: { schema: { type: 'string' } } }).values;
  const schema = file === undefined ? await download(server.$schema) : readFileSync(file, 'utf8');
  if (schema === undefined) return 'its schema cannot be read from here, so it was not checked.';
  // The schema is of draft 7.
  const check = addFormats.default(new Ajv({ strict: false })).compile(JSON.parse(schema) as object);
  if (!check(server)) throw new Error(`server.json is invalid: ${JSON.stringify(check.errors)}`);
  return 'valid.';
}

async function download(url: string): Promise<string | undefined> {
  const reply = await fetch(url).catch(() => undefined);
  return reply?.ok === true ? reply.text() : undefined;
}

/** Starts the unpacked server as a host does, on Node 24, and lists its tools. */
async function callServer(root: string): Promise<string> {
  const main = join(root, 'package/dist/command/main.js');
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['--yes', '--package', 'node@24', '--', 'node', main, 'mcp', '--store', join(folder, 'store.db')],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      SOCIAL_PUBLISHING_BASE_URL: 'http://127.0.0.1:9',
      SOCIAL_PUBLISHING_ACCESS_KEY: 'test-key',
    },
  });
  const client = new Client({ name: 'mcpb', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return `The unpacked server lists ${String(tools.length)} tools.`;
}
