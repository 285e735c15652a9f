import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { build as buildWithEsbuild, version as esbuildVersion } from 'esbuild';
import { caller, strict } from '../package/support/caller.js';
import { complaints, mistakes, program, readErrors } from '../support/compiler-messages.js';
import { run, type App, type Check } from './app.js';
import { installedVersion } from './engines.js';
import { starterOf, steps, whileServed } from './served.js';

const what = 'smoke suite, bundled';

/** Bundles the smoke suite and runs only the bundle, outside of node_modules. */
function bundler(
  id: string,
  where: string,
  bundle: (app: App, input: string, output: string) => Promise<string>,
): Check {
  return {
    id,
    where,
    what,
    run: async (app) => {
      const input = app.write('smoke-run.mjs', starterOf('smoke'));
      const folder = mkdtempSync(join(tmpdir(), `social-publishing-${id}-`));
      const output = join(folder, 'bundle.mjs');
      try {
        const version = await bundle(app, input, output);
        const printed = await whileServed(app, (baseUrl) =>
          run(process.execPath, [output], app.folder, { BASE_URL: baseUrl }),
        );
        return { version, result: steps(printed) };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

const esbuild = bundler('esbuild', 'esbuild', async (_app, input, output) => {
  await buildWithEsbuild({
    entryPoints: [input],
    outfile: output,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  return esbuildVersion;
});

const vite = bundler('vite', 'Vite', async (app, input, output) => {
  const { build, version } = await import('vite');
  await build({
    root: app.folder,
    configFile: false,
    logLevel: 'error',
    build: {
      target: 'es2022',
      minify: true,
      emptyOutDir: false,
      outDir: dirname(output),
      lib: { entry: input, formats: ['es'], fileName: () => basename(output) },
    },
  });
  return version;
});

const webpack = bundler('webpack', 'webpack', async (app, input, output) => {
  await app.install('webpack@5');
  const config = app.write(
    'webpack.mjs',
    `import webpack from 'webpack';
     webpack({
       mode: 'production', target: 'web', entry: ${JSON.stringify(input)}, experiments: { outputModule: true },
       output: { path: ${JSON.stringify(dirname(output))}, filename: ${JSON.stringify(basename(output))}, module: true, library: { type: 'module' } },
     }, (error, stats) => {
       if (error || stats.hasErrors() || stats.hasWarnings()) { console.error(error ?? stats.toString()); process.exit(1); }
     });`,
  );
  await run(process.execPath, [config], app.folder);
  return installedVersion(app, 'webpack');
});

const jest: Check = {
  id: 'jest',
  where: 'Jest (CommonJS)',
  what: 'every entry except the MSW entry was required, and a call was made',
  run: async (app) => {
    await app.install('jest@30', '@opentelemetry/api@1.10.0', '@modelcontextprotocol/server@2');
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
    // MSW depends on a module that Jest requires only with a transform, or on Node 24.9 or later.
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json') && entry !== './emulator/msw');
    app.write(
      'jest/entries.test.cjs',
      `const entries = ${JSON.stringify(entries.map((entry) => entry.slice(1)))};
       test.each(entries)('social-publishing%s can be required', (entry) => {
         expect(Object.keys(require('social-publishing' + entry))).not.toHaveLength(0);
       });
       test('a call', async () => {
         const { SocialPublishing } = require('social-publishing');
         const { createEmulator } = require('social-publishing/emulator');
         const service = createEmulator({ accessKey: 'k' });
         const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'k', fetch: service.fetch });
         await client.posts.create({ content: 'Hi', saveAsDraft: true });
         expect((await client.posts.list()).items).toHaveLength(1);
       });`,
    );
    await run(
      process.execPath,
      ['node_modules/jest/bin/jest.js', '--rootDir', 'jest', '--testMatch', '**/*.test.cjs'],
      app.folder,
    );
    return { version: installedVersion(app, 'jest'), result: `${String(entries.length + 1)} tests passed` };
  },
};

/**
 * Compiles a caller of every entry, with all checks on, including libraries; then a caller with one mistake per line.
 */
const typescript: readonly Check[] = ['5.5.4', '5.9', '6.0.3', '7.0.2'].map((wanted) => ({
  id: `typescript${wanted}`,
  where: 'TypeScript',
  what: 'a strict caller, skipLibCheck false',
  run: async (app) => {
    const name = `typescript-${wanted.split('.').slice(0, 2).join('-')}`;
    await app.install(`${name}@npm:typescript@${wanted}`, '@types/node@22.20.5', '@opentelemetry/api@1.10.0');
    for (const extension of ['mts', 'cts']) app.write(`types/caller.${extension}`, caller);
    const options = { ...strict, module: 'NodeNext', moduleResolution: 'nodenext' };
    const config = app.write(
      'types/tsconfig.json',
      JSON.stringify({ compilerOptions: options, files: ['caller.mts', 'caller.cts'] }),
    );
    const tsc = join(app.folder, 'node_modules', name, 'bin/tsc');
    await run(process.execPath, [tsc, '-p', config], app.folder);
    const version = installedVersion(app, name);
    await checkMessages(app, tsc, options);
    return { version, result: `compiled; ${String(mistakes.length)} mistakes named` };
  },
}));

async function checkMessages(app: App, tsc: string, compilerOptions: object): Promise<void> {
  app.write('types/mistakes.mts', program);
  const config = app.write('types/mistakes.json', JSON.stringify({ compilerOptions, files: ['mistakes.mts'] }));
  // The compiler fails. The message of the error contains what it printed.
  const printed = await run(process.execPath, [tsc, '-p', config, '--pretty', 'false'], app.folder).catch(
    (error: unknown) => (error as Error).message,
  );
  const wrong = complaints(readErrors(printed));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

export const tools: readonly Check[] = [esbuild, vite, webpack, jest, ...typescript];
