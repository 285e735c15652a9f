import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Examples import the package by its name; here they run on the sources. Longer names stand first.
    alias: {
      'social-publishing/emulator/node': source('emulator/adapters/node.ts'),
      'social-publishing/emulator/msw': source('emulator/adapters/msw.ts'),
      'social-publishing/emulator': source('emulator/index.ts'),
      'social-publishing/schemas': source('schemas.ts'),
      'social-publishing/webhooks/redis': source('webhooks/redis.ts'),
      'social-publishing/webhooks': source('webhooks/index.ts'),
      'social-publishing': source('index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Tests of the built package have their own run: npm run check:package.
    exclude: ['test/package/**', 'node_modules/**'],
    // Tests open real sockets on loopback; a hung one must not hang the run.
    testTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: '.tmp/test.json' }]],
  },
});
