import { defineConfig } from 'vitest/config';
import { patienceMs } from '../../test/support/patience.js';
import { alias } from '../../vitest.config.js';

// A zone with an offset, so that a time read by the clock of this machine is another one. Threads can't set it themselves.
process.env['TZ'] = 'America/New_York';
// Each mutant runs the tests again: a property that holds is not tried 500 times for each.
process.env['PROPERTY_FACTOR'] ??= '0.25';

/** The tests of a room. Patterns contain commas. */
const tests = process.env['MUTATION_TESTS']?.split(' ') ?? [];

export default defineConfig({
  // Stryker ignores a test file that does not load.
  resolve: { alias },
  test: {
    include: tests,
    // `new` changes the current folder, which a thread cannot.
    exclude: ['**/*.process.test.ts', 'test/{webhooks/docs,cli/new}.test.ts', 'node_modules/**'],
    expect: { poll: { timeout: patienceMs } },
    // The first run is slow: all files are instrumented. Stryker has its own limit for each mutant.
    testTimeout: 180_000,
  },
});
