import { describe, expect, it } from 'vitest';
import { judgeInsert } from '../../src/stores/sure.js';
import { firstVersion } from '../../src/stores/versions.js';

describe('an insert whose answer was lost', () => {
  it('was carried out where its own write is seen, and not where another one drew the same version', () => {
    expect(judgeInsert({ version: 7, writeId: 'mine' }, 7, 'mine')).toBe(true);
    expect(judgeInsert({ version: 7, writeId: 'other' }, 7, 'mine')).toBe(false);
  });

  it('was carried out where others have swapped it since, and may be made again where nothing is there', () => {
    expect(judgeInsert({ version: 9, writeId: 'other' }, 7, 'mine')).toBe(true);
    expect(judgeInsert({ version: 6, writeId: 'other' }, 7, 'mine')).toBe(false);
    expect(judgeInsert({ version: 7 + 2 ** 20, writeId: 'other' }, 7, 'mine')).toBe(false);
    expect(judgeInsert(undefined, 7, 'mine')).toBe('again');
  });
});

describe('a first version', () => {
  it('is a random whole number from 1 to 2^48', () => {
    const drawn = Array.from({ length: 1_000 }, firstVersion);
    expect(new Set(drawn).size).toBe(1_000);
    expect(drawn.every((version) => Number.isSafeInteger(version) && version >= 1 && version <= 2 ** 48)).toBe(true);
  });
});
