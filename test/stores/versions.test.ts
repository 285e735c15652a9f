import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultRuntime } from '../../src/core/runtime.js';
import { firstVersion, judge, nextVersion } from '../../src/stores/versions.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const item = { key: 'k', wakeAt: null };
const step = 2 ** 20;
const first = 2 ** 40 + 5;
/** The version that the own swap chose, and one that another writer chose for its swap of the same version. */
const [own, others] = [2 ** 40 + step + 5, 2 ** 40 + step + 500];

describe('a first version', () => {
  it('is above 0, even if the random number is 0', () => {
    vi.spyOn(defaultRuntime, 'random48')
      .mockReturnValueOnce(0)
      .mockReturnValueOnce(2 ** 48 - 1);
    expect([firstVersion(), firstVersion()]).toEqual([1, 2 ** 48]);
  });

  it('is a random whole number from 1 to 2^48', () => {
    const drawn = Array.from({ length: 1_000 }, firstVersion);
    expect(new Set(drawn).size).toBe(1_000);
    expect(drawn.every((version) => Number.isSafeInteger(version) && version >= 1 && version <= 2 ** 48)).toBe(true);
  });
});

describe('the version of a swap', () => {
  it('counts swaps in the upper bits, and is random in the lower 20 bits', () => {
    vi.spyOn(defaultRuntime, 'random48')
      .mockReturnValueOnce(0)
      .mockReturnValueOnce(2 ** 48 - 1);
    expect([nextVersion(first), nextVersion(first)]).toEqual([2 ** 40 + step, 2 ** 40 + 2 * step - 1]);
  });

  it.each([1, 7, first, 2 ** 48])('grows with each swap, from %d on', (start) => {
    for (let round = 0, last = start; round < 1_000; round += 1) {
      const next = nextVersion(last);
      expect(next).toBeGreaterThan(last);
      expect(Number.isSafeInteger(next)).toBe(true);
      last = next;
    }
  });
});

describe('after the reply to a swap was lost, the item shows', () => {
  const swap = { ...item, replaces: first, version: own, data: 'own' };

  it.each([
    ['its own write', { version: own, data: 'own' }, true],
    ['another write that chose the same version', { version: own, data: 'other' }, false],
    ['no write yet', { version: first, data: 'before' }, 'not yet'],
    ['another swap of the same version', { version: others, data: 'own' }, false],
    ['another swap of the same version, which chose a smaller one', { version: own - 1, data: 'own' }, false],
    ['a swap by release 0.2.0', { version: first + 1, data: 'own' }, false],
    ['another swap of the same version, 65 above the own one', { version: own + 65, data: 'own' }, false],
    ['another swap, or 64 later swaps by release 0.2.0', { version: own + 64, data: 'own' }, 'unknown'],
    ['another swap, or a later swap by release 0.2.0', { version: own + 1, data: 'own' }, 'unknown'],
    ['a later write', { version: own + step, data: 'own' }, 'unknown'],
    ['a removal and a new insert', { version: 7, data: 'own' }, 'unknown'],
    ['a removal', undefined, 'unknown'],
  ] as const)('%s', (_name, seen, verdict) => {
    expect(judge(swap, seen)).toBe(verdict);
  });
});

describe('after the reply to an insert was lost, the item shows', () => {
  const insert = { ...item, replaces: undefined, version: first, data: 'own' };

  it.each([
    ['its own insert', { version: first, data: 'own' }, true],
    ['its own insert, swapped since', { version: own, data: 'other' }, true],
    ['its own insert, swapped by release 0.2.0 since', { version: first + 1, data: 'other' }, true],
    ['another insert of the same version', { version: first, data: 'other' }, false],
    ['its own insert, swapped 64 times since', { version: first + 64 * step, data: 'other' }, true],
    ['another insert of a version 65 swaps later', { version: first + 65 * step, data: 'own' }, false],
    ['another insert of a smaller version', { version: first - 1, data: 'own' }, false],
    ['another insert', { version: first + 2 ** 41, data: 'own' }, false],
    ['no insert yet', undefined, 'not yet'],
  ] as const)('%s', (_name, seen, verdict) => {
    expect(judge(insert, seen)).toBe(verdict);
  });
});

describe('after the reply to a removal was lost, the item shows', () => {
  const removal = { ...item, replaces: first, version: own, data: null };

  it.each([
    ['its own removal', undefined, true],
    ['a removal and a new insert', { version: 7, data: 'new' }, true],
    ['a removal and a new insert of a version just below', { version: first - 1, data: 'new' }, true],
    ['a removal and a new insert of a version 65 swaps later', { version: first + 65 * step, data: 'new' }, true],
    ['another swap', { version: others, data: 'other' }, false],
    ['another swap that chose the same version', { version: own, data: 'other' }, false],
    ['a swap by release 0.2.0', { version: first + 1, data: 'other' }, false],
    ['64 other swaps', { version: first + 64 * step, data: 'other' }, false],
    ['no removal yet', { version: first, data: 'own' }, 'not yet'],
  ] as const)('%s', (_name, seen, verdict) => {
    expect(judge(removal, seen)).toBe(verdict);
  });
});

/** All short histories of one item. The tags are not random, so that they meet. */
it('no verdict about a swap is wrong, whoever wrote before and after it', () => {
  const tags = [0, 1, 5, 100, step - 2, step - 1];
  const swapped = (version: number, tag: number) => (Math.floor(version / step) + 1) * step + tag;
  /** The versions after each number of swaps by this version of the package and by release 0.2.0. */
  const laterThan = (version: number, depth: number): number[] =>
    depth === 0
      ? [version]
      : [
          version,
          ...[version + 1, ...tags.map((tag) => swapped(version, tag))].flatMap((next) => laterThan(next, depth - 1)),
        ];
  const wrong: unknown[] = [];
  for (const start of [first, 2 ** 40 - 1, 2 ** 40 - 2, 1]) {
    for (const tag of tags) {
      const swap = { ...item, replaces: start, version: swapped(start, tag), data: 'own' };
      const verdictOn = (version: number) => judge(swap, { version, data: version === swap.version ? 'own' : 'other' });
      for (const version of laterThan(swap.version, 3)) if (verdictOn(version) === false) wrong.push([swap, version]);
      for (const version of laterThan(start, 3))
        if (version !== swap.version && verdictOn(version) === true) wrong.push([swap, version]);
    }
  }
  expect(wrong).toEqual([]);
});
