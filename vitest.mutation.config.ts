import { defineConfig } from 'vitest/config';

// A zone with an offset, so that a time read by the clock of this machine is another one. Threads can't set it themselves.
process.env['TZ'] = 'America/New_York';
// Each mutant runs the tests again: a property that holds is not tried 500 times for each.
process.env['PROPERTY_FACTOR'] ??= '0.25';

/** The tests of the files that `npm run mutation` changes: stryker.config.mjs. All of them run in one process, without sockets. */
export default defineConfig({
  test: {
    include: [
      'test/http/{network-error,redact,retry,url}.test.ts',
      'test/model/{instant,match-post,zoned-time}.test.ts',
      'test/pagination/next-query.test.ts',
      'test/publisher/{intent,wake}.test.ts',
      'test/webhooks/{stale,verify}.test.ts',
    ],
    testTimeout: 20_000,
  },
});
