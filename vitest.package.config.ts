import { defineConfig } from 'vitest/config';

/** Tests of the package as it is published: they build, pack and install it first. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/install.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    reporters: ['default', ['json', { outputFile: '.tmp/test-package.json' }]],
  },
});
