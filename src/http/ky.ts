import * as ky from 'ky';

/**
 * Returns ky. In `dist`, the first call evaluates it (scripts/lazy-ky.ts): ky makes Node load all of `fetch` (40 ms), which
 * a program that only verifies webhooks never needs.
 */
export function loadKy(): typeof ky {
  return ky;
}
