import ky, { isNetworkError, TimeoutError } from 'ky';

/** Bundles omit the other parts of ky. */
const parts = { ky, isNetworkError, TimeoutError };

/**
 * Returns ky. In `dist`, the first call evaluates it (scripts/lazy-ky.ts): ky makes Node load all of `fetch` (40 ms), which
 * a program that only verifies webhooks never needs.
 */
export function loadKy(): typeof parts {
  return parts;
}
