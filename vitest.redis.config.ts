import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** Tests against a real Redis. They need REDIS_URL: run them with `npm run test:redis`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [], reporters: ['default'] } },
  defineConfig({ test: { include: ['test/redis/**/*.spec.ts'], testTimeout: 120_000 } }),
);
