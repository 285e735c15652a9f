import { defineConfig } from 'vitest/config';
import { patienceMs } from '../../test/support/patience.js';

// A zone with an offset, so that a time read by the clock of this machine is another one. Threads can't set it themselves.
process.env['TZ'] = 'America/New_York';
// Each mutant runs the tests again: a property that holds is not tried 500 times for each.
process.env['PROPERTY_FACTOR'] ??= '0.25';

/** The tests of the files in stryker.config.mjs. All of them run in one process, without sockets. */
const tests = [
  'test/http/{network-error,redact,retry,url}.test.ts',
  'test/model/{instant,match-post,zoned-time}.test.ts',
  'test/pagination/next-query.test.ts',
  'test/publisher/{intent,wake}.test.ts',
  'test/webhooks/{stale,verify}.test.ts',
];
/** The tests of a room. Patterns contain commas. */
const ofRoom = process.env['MUTATION_TESTS']?.split(' ');

export default defineConfig({
  test: {
    include: ofRoom ?? tests,
    exclude: ['**/*.process.test.ts', '**/docs.test.ts', 'node_modules/**'],
    expect: { poll: { timeout: patienceMs } },
    // The first run is slow: all files are instrumented. Stryker has its own limit for each mutant.
    testTimeout: 180_000,
  },
});
