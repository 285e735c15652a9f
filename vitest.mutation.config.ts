import { defineConfig } from 'vitest/config';

/** The tests of the files that `npm run mutation` changes: stryker.config.mjs. All of them run in one process, without sockets. */
export default defineConfig({
  test: {
    include: [
      'test/http/failure.test.ts',
      'test/http/redact.test.ts',
      'test/http/headers.test.ts',
      'test/model/zoned-time.test.ts',
      'test/pagination/*.test.ts',
      'test/policies/retry-after.test.ts',
      'test/policies/request.test.ts',
      'test/publisher/intent.test.ts',
      'test/publisher/wake.test.ts',
      'test/publisher/publish.test.ts',
      'test/publisher/doubt.test.ts',
      'test/webhooks/verify.test.ts',
    ],
    testTimeout: 20_000,
  },
});
