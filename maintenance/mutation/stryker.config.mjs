/** What all rooms share. `main.ts` adds the files of a room. */
export default {
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
    '!/docs',
    '/docs/*',
    '!/docs/cli.md',
    '!/examples',
    '/examples/node_modules',
  ],
  tempDirName: '.tmp/stryker',
};
