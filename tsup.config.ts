import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { bundled, bundledInCommand, bundledInConsole } from './scripts/bundled.js';
import { consolePagePlugin } from './scripts/console-page.js';
import { controlDocumentPlugin } from './scripts/control-document.js';
import { entriesPlugin } from './scripts/entries-plugin.js';
import { lazyKyPlugin } from './scripts/lazy-ky.js';
import { mergeChunks } from './scripts/merge-chunks.js';

const shared: Options = {
  format: ['esm', 'cjs'],
  outDir: 'dist',
  target: 'es2022',
  platform: 'neutral',
  // Deno and the edge runtimes know the builtins of Node by their full names alone.
  removeNodeProtocol: false,
};

// What is marked @internal would otherwise carry zod's types into the public ones.
const types = { compilerOptions: { stripInternal: true } };

const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  publisher: 'src/publisher/index.ts',
  otel: 'src/otel/index.ts',
  query: 'src/query/index.ts',
  tools: 'src/tools/index.ts',
  mcp: 'src/tools/mcp/index.ts',
  'stores/sqlite': 'src/stores/sqlite/index.ts',
  'stores/postgres': 'src/stores/postgres/index.ts',
  'stores/redis': 'src/stores/redis/index.ts',
  'stores/testing': 'src/stores/testing/index.ts',
  emulator: 'src/emulator/index.ts',
  'emulator/node': 'src/emulator/adapters/node.ts',
  'emulator/msw': 'src/emulator/adapters/msw.ts',
};

const programs = {
  ...entries,
  // For the programs in dist/command. package.json does not publish them.
  'emulator/command': 'src/emulator/adapters/cli/command.ts',
  endpoints: 'src/resources/endpoints.ts',
  preflight: 'src/resources/preflight/preflight.ts',
};
const forPrograms = ['emulator/command', 'endpoints', 'preflight'];
const external = ['msw', '@opentelemetry/api', '@modelcontextprotocol/server', /^node:/, /console-page\.cjs$/];

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: programs,
    // Entries of one module system share chunks, so that a class is the same class in each of them.
    splitting: true,
    noExternal: bundled,
    esbuildPlugins: [controlDocumentPlugin, consolePagePlugin, lazyKyPlugin],
    // The licences have a file of their own, and the © in one would make Node keep all of a file as wide characters.
    esbuildOptions: (options) => {
      options.legalComments = 'none';
      options.chunkNames = 'chunk-[hash]';
    },
    external,
    onSuccess: async () => {
      await mergeChunks('dist', Object.keys(programs), external);
      for (const name of forPrograms) rmSync(`dist/${name}.cjs`);
      writeFileSync('dist/THIRD_PARTY_LICENSES.md', licenses());
    },
  },
  {
    ...shared,
    format: 'esm',
    platform: 'node',
    entry: { main: 'src/cli/main.ts' },
    outDir: 'dist/command',
    // Each command is loaded when it is used: --help and --version start without the others.
    splitting: true,
    minify: true,
    noExternal: [...bundled, ...bundledInCommand],
    esbuildPlugins: [entriesPlugin(programs)],
    esbuildOptions: (options) => {
      options.legalComments = 'none';
      options.chunkNames = 'chunk-[hash]';
    },
    // The command needs no package beside it.
    external: [/^node:/],
  },
  { ...shared, entry: entries, dts: { ...types, only: true }, external },
  {
    ...shared,
    // The schemas are the caller's to compose with their own zod, so they use the caller's zod too.
    entry: { schemas: 'src/schemas.ts' },
    treeshake: true,
    dts: types,
    external: ['zod'],
  },
]);

function licenses(): string {
  const parts = [...bundled, ...bundledInCommand, ...bundledInConsole].map((name) => {
    const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as Record<
      string,
      string
    >;
    const file = name === 'ky' ? 'license' : 'LICENSE';
    return `## ${name} ${version ?? ''} (${license ?? ''})\n\n${readFileSync(`node_modules/${name}/${file}`, 'utf8').trim()}\n`;
  });
  return `# Licences of the packages that are bundled in dist\n\n${parts.join('\n')}`;
}
