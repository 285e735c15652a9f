import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { testDurableStore } from '../../src/stores/testing/index.js';

it('swaps by version, finds due items, and scans in the order of keys', async () => {
  const store = new MemoryDurableStore();
  expect(await store.insert('intent/b', 'B', 2.5)).toEqual(expect.any(Number));
  expect(await store.insert('intent/a', 'A', 2)).toEqual(expect.any(Number));
  expect(await store.insert('intent/a', 'again', 1)).toBeUndefined();
  expect(await store.due('intent/', 2.4, 10)).toEqual(['intent/a']);
  expect(await store.due('intent/', 3, 10)).toEqual(['intent/a', 'intent/b']);
  const a = await store.get('intent/a');
  expect(await store.swap('intent/a', a?.version ?? 0, 'A2', null)).toEqual(expect.any(Number));
  expect(await store.swap('intent/a', a?.version ?? 0, 'A3', null)).toBeUndefined();
  expect(await store.scan('intent/', undefined, 10)).toMatchObject([
    { key: 'intent/a', data: 'A2' },
    { key: 'intent/b', data: 'B' },
  ]);
  expect(store.size).toBe(2);
});

it('rejects data that no store could keep, and never throws', async () => {
  const store = new MemoryDurableStore();
  await expect(store.insert('a\0', '', null)).rejects.toThrow(InvalidRequestError);
  await expect(store.scan('', undefined, 0)).rejects.toThrow(/limit must be a whole number above 0/);
});

describe('MemoryDurableStore', () => {
  testDurableStore(() => new MemoryDurableStore(), { describe, it });
  const shared = new MemoryDurableStore();
  describe('opened twice', () => {
    testDurableStore(() => shared, { describe, it });
  });
});
