import { defineConfig } from 'vitest/config';

/** The tests that send every operation over a socket, with each request that was carried out written down (scripts/prism.ts). */
export default defineConfig({
  test: {
    include: ['test/wire-form.test.ts', 'test/emulator/contract.test.ts'],
    setupFiles: ['scripts/prism/record.ts'],
    testTimeout: 20_000,
    fileParallelism: false,
    reporters: ['dot'],
  },
});
