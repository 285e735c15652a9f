import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { checkArguments } from '../../src/stores/checks.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { testDurableStore } from '../../src/stores/testing/index.js';
import { storeWith } from '../support/stores.js';

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

describe('the versions of a store in memory', () => {
  it('count up with each swap, also with a removal', async () => {
    const store = new MemoryDurableStore();
    const first = (await store.insert('a', 'A', null)) ?? 0;
    expect(await store.get('a')).toStrictEqual({ version: first, data: 'A' });
    expect(await store.swap('a', first, 'B', null)).toBe(first + 1);
    expect(await store.scan('', undefined, 1)).toStrictEqual([{ key: 'a', version: first + 1, data: 'B' }]);
    expect(await store.swap('a', first + 1, null, null)).toBe(first + 2);
    expect(await store.swap('a', first + 2, 'C', null)).toBeUndefined();
    expect(await store.get('a')).toBeUndefined();
  });
});

describe('the items of a store in memory', () => {
  it('are counted, without removed ones', async () => {
    const store = new MemoryDurableStore();
    expect(store.size).toBe(0);
    await store.insert('a', 'A', null);
    const version = (await store.insert('b', 'B', null)) ?? 0;
    expect(store.size).toBe(2);
    await store.swap('b', version, null, null);
    expect(store.size).toBe(1);
  });

  it('stay when it is set up or closed', async () => {
    const store = new MemoryDurableStore();
    const version = await store.insert('a', 'A', null);
    await expect(store.setup()).resolves.toBeUndefined();
    await expect(store.close()).resolves.toBeUndefined();
    expect(await store.get('a')).toEqual({ version, data: 'A' });
  });

  it('are scanned in order after each insert and removal', async () => {
    const store = new MemoryDurableStore();
    const keys = async (prefix = '', after?: string, limit = 10) =>
      (await store.scan(prefix, after, limit)).map(({ key }) => key);
    const versions = new Map<string, number>();
    for (const key of ['b', '', 'ab', 'a']) versions.set(key, (await store.insert(key, key, null)) ?? 0);
    expect(await keys()).toEqual(['', 'a', 'ab', 'b']);
    expect(await keys('', '')).toEqual(['a', 'ab', 'b']);
    expect(await keys('', undefined, 1)).toEqual(['']);
    expect(await keys('a')).toEqual(['a', 'ab']);
    expect(await keys('a', '')).toEqual(['a', 'ab']);
    expect(await keys('a', 'a')).toEqual(['ab']);
    expect(await keys('a', 'b')).toEqual([]);
    await store.swap('a', versions.get('a') ?? 0, null, null);
    expect(await keys()).toEqual(['', 'ab', 'b']);
    expect(await keys('', undefined, 2)).toEqual(['', 'ab']);
    await store.insert('a', 'again', null);
    expect(await keys()).toEqual(['', 'a', 'ab', 'b']);
  });

  it('are due only while they have a time', async () => {
    const store = new MemoryDurableStore();
    let version = (await store.insert('a', 'A', 10)) ?? 0;
    const due = async () => {
      expect(await store.due('', 9.9, 10)).toEqual([]);
      return store.due('', 10, 10);
    };
    expect(await due()).toEqual(['a']);
    version = (await store.swap('a', version, 'A', null)) ?? 0;
    expect(await due()).toEqual([]);
    version = (await store.swap('a', version, 'A', 10)) ?? 0;
    expect(await due()).toEqual(['a']);
    await store.swap('a', version, null, 10);
    expect(await due()).toEqual([]);
  });
});

describe('MemoryDurableStore', () => {
  testDurableStore(() => new MemoryDurableStore(), { describe, it });
  const shared = new MemoryDurableStore();
  describe('opened twice', () => {
    testDurableStore(() => shared, { describe, it });
  });
});

describe('a store that throws in place of a rejection', () => {
  const inner = new MemoryDurableStore();
  const throwing = storeWith(inner, {
    get: (key) => {
      checkArguments({ key });
      return inner.get(key);
    },
  });
  testDurableStore(() => throwing, { describe, it });
});
