import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';

const store = new MemoryDurableStore();
/** Values that a caller without types might pass. */
const untyped = (value: unknown) => value as never;

/** Returns the messages of a call that is refused. */
async function refused(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(InvalidRequestError);
  const { issues } = error as InvalidRequestError;
  for (const { path, message } of issues) expect(message.startsWith(`${String(path[0])} must`)).toBe(true);
  return issues.map(({ message }) => message);
}

const notStorable = 'must not contain the character NUL (U+0000) or half a surrogate pair';

describe.each<[string, string, (text: string) => Promise<unknown>]>([
  ['get', 'key', (text) => store.get(text)],
  ['insert', 'key', (text) => store.insert(text, '', null)],
  ['swap', 'key', (text) => store.swap(text, 1, '', null)],
  ['insert', 'data', (text) => store.insert('data of insert', text, null)],
  ['swap', 'data', (text) => store.swap('a', 1, text, null)],
  ['due', 'prefix', (text) => store.due(text, 0, 1)],
  ['scan', 'prefix', (text) => store.scan(text, undefined, 1)],
  ['scan', 'after', (text) => store.scan('', text, 1)],
])('%s: the %s', (_method, name, call) => {
  it.each(['', 'a', '\u0001', '😀', '\ud7ff', '\ue000', '\uffff'])('may be %j', async (text) => {
    expect(await refused(call(text))).toEqual([]);
  });

  it.each(['\0', 'a\0b', '\ud83d', '\ude00', 'a\ud83db', '\ude00\ud83d'])('must not be %j', async (text) => {
    expect(await refused(call(text))).toEqual([`${name} ${notStorable}`]);
  });

  it.each([5, {}, [], true, Symbol('a')])('must be a string: %o', async (value) => {
    expect(await refused(call(untyped(value)))).toEqual([`${name} must be a string`]);
  });
});

describe('a text that is missing', () => {
  it.each([undefined, null])('is refused: %j', async (none) => {
    expect(await refused(store.get(untyped(none)))).toEqual(['key must be a string']);
    expect(await refused(store.insert('a', untyped(none), null))).toEqual(['data must be a string']);
    expect(await refused(store.due(untyped(none), 0, 1))).toEqual(['prefix must be a string']);
  });

  it('is refused only where it means nothing', async () => {
    expect(await refused(store.swap('a', 1, untyped(undefined), null))).toEqual(['data must be a string']);
    expect(await refused(store.swap('a', 1, null, null))).toEqual([]);
    expect(await refused(store.scan('', untyped(null), 1))).toEqual(['after must be a string']);
    expect(await refused(store.scan('', undefined, 1))).toEqual([]);
  });
});

describe('a key', () => {
  it.each<[string, number]>([
    ['x', 2600],
    ['é', 1300],
    ['中', 866],
    ['😀', 650],
  ])('has at most 2,600 bytes of UTF-8: %s', async (character, count) => {
    const key = character.repeat(count);
    const longer = `${key}${character}`;
    const message = `key must have at most 2600 bytes of UTF-8; this one has ${String(Buffer.byteLength(longer))}`;
    for (const call of [
      (text: string) => store.get(text),
      (text: string) => store.insert(text, '', null),
      (text: string) => store.swap(text, 1, '', null),
    ]) {
      expect(await refused(call(key))).toEqual([]);
      expect(await refused(call(longer))).toEqual([message]);
    }
  });
});

describe('a number', () => {
  const times = [0, -1, 1.5, 1_800_000_000_000, -0.25];
  const notTimes = [Number.NaN, Infinity, -Infinity, '5', true, new Date()];

  it.each(times)('may be a time: %d', async (time) => {
    expect(await refused(store.insert(`time ${String(time)}`, '', time))).toEqual([]);
    expect(await refused(store.swap('a', 1, '', time))).toEqual([]);
    expect(await refused(store.due('', time, 1))).toEqual([]);
  });

  it.each([...notTimes, undefined])('must be a time: %o', async (time) => {
    const message = 'wakeAt must be milliseconds since 1970, or null for never';
    expect(await refused(store.insert('a', '', untyped(time)))).toEqual([message]);
    expect(await refused(store.swap('a', 1, '', untyped(time)))).toEqual([message]);
  });

  it.each([...notTimes, undefined, null])('must be the current time: %o', async (time) => {
    expect(await refused(store.due('', untyped(time), 1))).toEqual(['now must be milliseconds since 1970']);
  });

  it.each([1, 2, Number.MAX_SAFE_INTEGER])('may be a version or a limit: %d', async (value) => {
    expect(await refused(store.swap('a', value, '', null))).toEqual([]);
    expect(await refused(store.due('', 0, value))).toEqual([]);
    expect(await refused(store.scan('', undefined, value))).toEqual([]);
  });

  it.each([0, -1, 0.5, 1.5, 2 ** 53, Infinity, Number.NaN, '1', null, undefined])(
    'must be a version or a limit: %o',
    async (value) => {
      expect(await refused(store.swap('a', untyped(value), '', null))).toEqual([
        'version must be a whole number above 0',
      ]);
      expect(await refused(store.due('', 0, untyped(value)))).toEqual(['limit must be a whole number above 0']);
      expect(await refused(store.scan('', undefined, untyped(value)))).toEqual([
        'limit must be a whole number above 0',
      ]);
    },
  );
});

describe('several mistakes', () => {
  it('are reported at once, in the order of the arguments', async () => {
    expect(await refused(store.insert('\0', '\0', Number.NaN))).toEqual([
      `key ${notStorable}`,
      `data ${notStorable}`,
      'wakeAt must be milliseconds since 1970, or null for never',
    ]);
    expect(await refused(store.swap('\0', 0, '\0', Number.NaN))).toEqual([
      `key ${notStorable}`,
      'version must be a whole number above 0',
      `data ${notStorable}`,
      'wakeAt must be milliseconds since 1970, or null for never',
    ]);
    expect(await refused(store.due('\0', Number.NaN, 0))).toEqual([
      `prefix ${notStorable}`,
      'now must be milliseconds since 1970',
      'limit must be a whole number above 0',
    ]);
    expect(await refused(store.scan('\0', '\0', 0))).toEqual([
      `prefix ${notStorable}`,
      `after ${notStorable}`,
      'limit must be a whole number above 0',
    ]);
    expect(await refused(store.get('\0'.repeat(2601)))).toEqual([
      `key ${notStorable}`,
      'key must have at most 2600 bytes of UTF-8; this one has 2601',
    ]);
  });

  it('write nothing', async () => {
    const untouched = new MemoryDurableStore();
    await expect(untouched.insert('a', '', Number.NaN)).rejects.toThrow(InvalidRequestError);
    expect(untouched.size).toBe(0);
  });
});
