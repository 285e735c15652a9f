import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/core/error-code.js';
import { ConfigurationError, InvalidRequestError } from '../../src/index.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { messageOf } from '../../src/stores/failure.js';
import { insertItem, swapItem } from '../../src/stores/lost-replies.js';
import type { DurableStore } from '../../src/stores/store.js';

/** A store of a user: its methods reject after, or before, they wrote. */
function failing(when: 'after' | 'before', error: unknown = new Error('the connection closed')): DurableStore {
  const inner = new MemoryDurableStore();
  const fail = async <T>(write: () => Promise<T>): Promise<T> => {
    if (when === 'after') await write();
    throw error;
  };
  return {
    get: (key) => inner.get(key),
    insert: (...args) => fail(() => inner.insert(...args)),
    swap: (...args) => fail(() => inner.swap(...args)),
    due: (...args) => inner.due(...args),
    scan: (...args) => inner.scan(...args),
  };
}

describe('a write of any store whose reply was lost', () => {
  it('succeeds if the item is stored', async () => {
    const store = failing('after');
    const version = await insertItem(store, 'key', 'data', null);
    expect(version).toBe((await store.get('key'))?.version);
    const next = await swapItem(store, { key: 'key', version: version ?? 0 }, 'other', null);
    expect(next).toBe((await store.get('key'))?.version);
    expect(next).not.toBe(version);
    await expect(store.get('key')).resolves.toMatchObject({ data: 'other' });
  });

  it('removes the item once', async () => {
    const store = failing('after');
    const version = await insertItem(store, 'key', 'data', null);
    await expect(swapItem(store, { key: 'key', version: version ?? 0 }, null, null)).resolves.toBeGreaterThan(0);
    await expect(store.get('key')).resolves.toBeUndefined();
  });

  it('rejects with the error of the store if nothing is stored', async () => {
    const error = new Error('the connection closed');
    await expect(insertItem(failing('before', error), 'key', 'data', null)).rejects.toBe(error);
  });

  it('writes nothing if the key has other data', async () => {
    const store = failing('before');
    const inner: DurableStore = { ...store, get: () => Promise.resolve({ version: 5, data: 'of another process' }) };
    await expect(insertItem(inner, 'key', 'data', null)).resolves.toBeUndefined();
  });

  it.each([
    new ConfigurationError('no table'),
    new InvalidRequestError([{ path: ['key'], message: 'key is invalid' }]),
  ])('is not read back after a %s', async (error) => {
    let reads = 0;
    const store = failing('after', error);
    const counting: DurableStore = {
      ...store,
      get: (key) => {
        reads += 1;
        return store.get(key);
      },
    };
    await expect(insertItem(counting, 'key', 'data', null)).rejects.toBe(error);
    expect(reads).toBe(0);
  });
});

describe.each([true, false, 0, 1.5, 'v1', null])('a store whose insert resolves to %j', (version) => {
  it('is refused with the rule for versions', async () => {
    const store = { ...failing('before'), insert: () => Promise.resolve(version as never) };
    await expect(insertItem(store, 'key', 'data', null)).rejects.toThrow(
      `insert() or swap() of the DurableStore resolved to ${JSON.stringify(version)}`,
    );
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
  });

  it('has a code only if the driver reports one as text', () => {
    expect(codeOf(Object.assign(new Error('x'), { code: 'SQLITE_BUSY' }))).toBe('SQLITE_BUSY');
    expect(codeOf(Object.assign(new Error('x'), { code: 5 }))).toBe('');
    expect(codeOf(new Error('x'))).toBe('');
    expect(codeOf({ code: 'NOT_AN_ERROR' })).toBe('');
    expect(codeOf(undefined)).toBe('');
  });
});
