import { vi } from 'vitest';
import { patienceMs } from './patience.js';

/** Repeats a check until it passes. Use it in place of `vi.waitFor`, whose limit is a second. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: patienceMs });
}
