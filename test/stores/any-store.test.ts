import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/core/error-code.js';
import { ConfigurationError, InvalidRequestError, SocialPublishingError } from '../../src/index.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { messageOf, setupFailure, storeFailure } from '../../src/stores/failure.js';
import { writeItem } from '../../src/stores/lost-replies.js';
import type { DurableStore, StoredItem } from '../../src/stores/store.js';
import { storeCalling, storeWith } from '../support/stores.js';

/** A store of a user: its methods reject after, or before, they wrote. */
function failing(when: 'after' | 'before', error: unknown = new Error('the connection closed')): DurableStore {
  const inner = new MemoryDurableStore();
  const fail = async <T>(write: () => Promise<T>): Promise<T> => {
    if (when === 'after') await write();
    throw error;
  };
  return storeWith(inner, {
    insert: (...args) => fail(() => inner.insert(...args)),
    swap: (...args) => fail(() => inner.swap(...args)),
  });
}

const write = (store: DurableStore, replaces: number | undefined, data: string | null) =>
  writeItem(store, { key: 'key', replaces, data, wakeAt: null });

describe('a write of any store whose reply was lost', () => {
  it('succeeds if the item is stored', async () => {
    const store = failing('after');
    const version = await write(store, undefined, 'data');
    expect(version).toBe((await store.get('key'))?.version);
    const next = await write(store, version ?? 0, 'other');
    expect(next).toBe((await store.get('key'))?.version);
    expect(next).not.toBe(version);
    await expect(store.get('key')).resolves.toMatchObject({ data: 'other' });
  });

  it('removes the item once', async () => {
    const store = failing('after');
    const version = await write(store, undefined, 'data');
    await expect(write(store, version ?? 0, null)).resolves.toBe(version);
    await expect(store.get('key')).resolves.toBeUndefined();
  });

  it('rejects with the error of the store if nothing is stored, and is made once', async () => {
    const error = new Error('the connection closed');
    const calls: string[] = [];
    const store = failing('before', error);
    const counting = (item: StoredItem | undefined) =>
      storeCalling({ ...store, get: () => Promise.resolve(item) }, (call) => calls.push(call));
    await expect(write(counting(undefined), undefined, 'data')).rejects.toBe(error);
    const unchanged = { version: 5, data: 'old' };
    await expect(write(counting(unchanged), 5, 'data')).rejects.toBe(error);
    await expect(write(counting(unchanged), 5, null)).rejects.toBe(error);
    expect(calls).toEqual(['insert key', 'get key', 'swap key', 'get key', 'swap key', 'get key']);
  });

  it.each<[string, StoredItem | undefined, string | null, number | undefined]>([
    ['its own data under another version', { version: 9, data: 'data' }, 'data', 9],
    ['other data under another version', { version: 9, data: 'other' }, 'data', undefined],
    ['no item in place of its data', undefined, 'data', undefined],
    ['an item that it removed, but another write replaced', { version: 9, data: 'other' }, null, undefined],
    ['no item, which it removed', undefined, null, 5],
  ])('is judged by %s', async (_, item, data, result) => {
    const store: DurableStore = { ...failing('before'), get: () => Promise.resolve(item) };
    await expect(write(store, 5, data)).resolves.toBe(result);
  });

  it('passes its arguments to the store', async () => {
    const store = new MemoryDurableStore();
    const version = (await writeItem(store, { key: 'key', replaces: undefined, data: 'data', wakeAt: 10 })) ?? 0;
    expect(await store.due('', 10, 1)).toEqual(['key']);
    const next = (await writeItem(store, { key: 'key', replaces: version, data: 'other', wakeAt: 20 })) ?? 0;
    expect([await store.due('', 19, 1), await store.due('', 20, 1)]).toEqual([[], ['key']]);
    expect(await store.get('key')).toEqual({ version: next, data: 'other' });
    expect(await write(store, undefined, 'again')).toBeUndefined();
    expect(await write(store, version, 'late')).toBeUndefined();
  });

  it('writes nothing if the key has other data', async () => {
    const store = failing('before');
    const inner: DurableStore = { ...store, get: () => Promise.resolve({ version: 5, data: 'of another process' }) };
    await expect(write(inner, undefined, 'data')).resolves.toBeUndefined();
  });

  it.each([
    new ConfigurationError('no table'),
    new InvalidRequestError([{ path: ['key'], message: 'key is invalid' }]),
  ])('is not read back after a %s', async (error) => {
    const calls: string[] = [];
    const counting = storeCalling(failing('after', error), (call) => calls.push(call));
    await expect(write(counting, undefined, 'data')).rejects.toBe(error);
    expect(calls).toEqual(['insert key']);
  });
});

describe.each([true, false, 0, -1, 1.5, 2 ** 53, 'v1', null])('a store whose write resolves to %j', (version) => {
  it('is refused with the rule for versions', async () => {
    const resolved = () => Promise.resolve(version as never);
    const store = { ...failing('before'), insert: resolved, swap: resolved };
    const error = new ConfigurationError(
      `insert() or swap() of the DurableStore resolved to ${JSON.stringify(version)}. Both must resolve to the item's new ` +
        'version (a whole number of 1 or more), or to undefined if they wrote nothing. Stores for release 0.2.0 resolved to ' +
        'a boolean: return the version in place of true, and undefined in place of false.',
    );
    await expect(write(store, undefined, 'data')).rejects.toThrow(error);
    await expect(write(store, 5, 'data')).rejects.toThrow(error);
  });
});

describe.each([1, Number.MAX_SAFE_INTEGER, undefined])('a store whose write resolves to %j', (version) => {
  it('is believed', async () => {
    const resolved = () => Promise.resolve(version);
    const store = { ...failing('before'), insert: resolved, swap: resolved };
    await expect(write(store, undefined, 'data')).resolves.toBe(version);
    await expect(write(store, 5, null)).resolves.toBe(version);
  });
});

describe('invalid arguments of a store', () => {
  const store = new MemoryDurableStore();

  it.each([
    ['prefix', () => store.due('a\0', 0, 1)],
    ['now', () => store.due('', Number.NaN, 1)],
    ['limit', () => store.due('', 0, 0)],
    ['prefix', () => store.scan('\ud800', undefined, 1)],
    ['after', () => store.scan('', 'a\0', 1)],
    ['limit', () => store.scan('', undefined, 1.5)],
  ])('are reported by name: %s', async (name, call) => {
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InvalidRequestError);
    const { issues } = error as InvalidRequestError;
    expect(issues).toMatchObject([{ path: [name] }]);
    expect(issues[0]?.message).toContain(name);
  });
});

describe('an error of a store', () => {
  const cause = Object.assign(new Error('cannot reach redis://user:secret@host'), { code: 'ECONNREFUSED' });
  const safe = { name: 'Error', message: 'cannot reach redis://***@host', code: 'ECONNREFUSED' };

  it('has an unknown outcome if the store is in use: the post may have been sent', () => {
    const error = storeFailure('The store failed.', cause);
    expect(error).toBeInstanceOf(SocialPublishingError);
    expect(error).not.toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: 'The store failed.', outcome: 'unknown', cause: safe });
    expect(storeFailure('The store failed.').cause).toBeUndefined();
  });

  it('is a ConfigurationError if the setup is wrong: nothing was sent', () => {
    const error = setupFailure('There is no table.', cause);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: 'There is no table.', outcome: 'not_sent', cause: safe });
    expect(setupFailure('There is no table.').cause).toBeUndefined();
  });
});

describe("the message of a driver's error", () => {
  it('is its text, without the password of a URL', () => {
    expect(messageOf(new Error('cannot reach redis://user:secret@host:6379'))).toBe(
      'cannot reach redis://***@host:6379',
    );
    expect(messageOf('cannot reach redis://:secret@host')).toBe('cannot reach redis://***@host');
    // A password that its author did not encode.
    expect(messageOf('cannot reach redis://:s@cret@host')).toBe('cannot reach redis://***@host');
  });

  it('is the code, or else the name, of an error without a text', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(messageOf(refused)).toBe('ECONNREFUSED');
    expect(messageOf(new AggregateError([]))).toBe('AggregateError');
    expect(messageOf(Object.assign(new Error('lost'), { code: 'ECONNRESET' }))).toBe('lost');
    expect(messageOf(new Error('Redis 7. It closed.'))).toBe('Redis 7. It closed');
    expect(messageOf(undefined)).toBe('undefined');
    expect(messageOf({ toString: () => 'redis://:secret@host' })).toBe('redis://***@host');
  });

  it('has a code only if the driver reports one as text', () => {
    expect(codeOf(Object.assign(new Error('x'), { code: 'SQLITE_BUSY' }))).toBe('SQLITE_BUSY');
    expect(codeOf(Object.assign(new Error('x'), { code: 5 }))).toBe('');
    expect(codeOf(new Error('x'))).toBe('');
    // An error of another realm is no instance of this realm's `Error`.
    expect(codeOf({ name: 'Error', code: 'ECONNRESET' })).toBe('ECONNRESET');
    expect(codeOf(undefined)).toBe('');
  });
});
