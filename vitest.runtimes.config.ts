import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The installed package to test (see scripts/runtimes.ts) and which of its module systems. */
const installed = process.env['INSTALLED_PACKAGE'] ?? '';
const extension = process.env['MODULE_SYSTEM'] === 'CommonJS' ? 'cjs' : 'js';

/** Which public entry holds what a test imports from a source file. */
const entries: Readonly<Record<string, string>> = {
  'index.js': 'index',
  'client.js': 'index',
  'response.js': 'index',
  'errors.js': 'index',
  'pagination.js': 'index',
  'webhooks/index.js': 'webhooks',
  'emulator/index.js': 'emulator',
  'emulator/node.js': 'emulator/node',
  'emulator/msw.js': 'emulator/msw',
};

/** The contract suite, with the installed package in the place of the sources that it imports. */
export default defineConfig({
  plugins: [
    {
      name: 'installed-package',
      enforce: 'pre',
      resolveId(source, importer) {
        const [, path = ''] = /^(?:\.\.\/)+src\/(.+)$/.exec(source) ?? [];
        const entry = entries[path];
        if (entry === undefined || importer?.includes('/test/') !== true) return undefined;
        if (installed === '') throw new Error('Run this by npm run test:runtimes');
        return join(installed, `dist/${entry}.${extension}`);
      },
    },
  ],
  test: {
    include: ['test/emulator/contract.test.ts', 'test/wire-form.test.ts', 'test/webhooks/verify*.test.ts'],
    testTimeout: 20_000,
    reporters: ['json'],
    outputFile: '.tmp/runtimes.json',
  },
});
