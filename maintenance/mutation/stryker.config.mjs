/**
 * `npm run mutation`: changes the pure files one by one, and sees whether their tests notice. Minutes for each file; name
 * some of them: `npm run mutation -- --mutate src/model/zoned-time.ts`.
 */
export default {
  mutate: [
    'src/http/retry.ts',
    'src/http/failures.ts',
    'src/http/redact.ts',
    'src/core/redactor.ts',
    'src/http/url.ts',
    'src/webhooks/verify/headers.ts',
    'src/webhooks/verify/verify.ts',
    'src/webhooks/verify/stale.ts',
    'src/pagination/next-query.ts',
    'src/publisher/intents/intent.ts',
    'src/publisher/intents/wake-times.ts',
    'src/model/zoned-time.ts',
    'src/model/instant.ts',
    'src/posts/match-post.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'maintenance/mutation/vitest.config.ts' },
  concurrency: 1,
  // A mutant that never ends is noticed too, and needs no 20 seconds for it.
  timeoutMS: 10_000,
  // On a busy machine, the first run of a room's tests takes longer than the default of 5 minutes.
  dryRunTimeoutMinutes: 20,
  ignorePatterns: [
    '/*',
    '!/src',
    '!/test',
    '!/scripts',
    '!/package.json',
    '!/tsconfig.json',
    '!/maintenance/mutation',
    '!/vitest.*',
    '!/openapi.json',
  ],
  tempDirName: '.tmp/stryker',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.tmp/mutation.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
};
