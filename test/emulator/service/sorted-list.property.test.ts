import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedList } from '../../../src/emulator/state/sorted-list.js';
import { runs } from '../../support/property.js';

interface Item {
  readonly at: number;
  readonly order: number;
  readonly text: string;
}

const item = fc.record({ at: fc.integer({ min: -3, max: 12 }), order: fc.nat(6), text: fc.string({ maxLength: 2 }) });

const operation = fc.oneof(
  { weight: 6, arbitrary: item.map((value) => ({ kind: 'set' as const, value })) },
  { weight: 2, arbitrary: item.map((value) => ({ kind: 'delete' as const, value })) },
  { weight: 3, arbitrary: fc.constant({ kind: 'shift' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'fork' as const }) },
);

const compare = (a: Item, b: Item) => a.at - b.at || a.order - b.order;

/** The items with one more or one fewer, sorted anew each time. */
function model(items: readonly Item[], value: Item, add: boolean): Item[] {
  const others = items.filter((other) => compare(other, value) !== 0);
  return add ? [...others, value].sort(compare) : others;
}

describe('a sorted list', () => {
  it('equals an array that is sorted after each change, and its forks keep their items', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), fc.nat(14), fc.nat(14), (operations, from, length) => {
        const list = new SortedList(compare);
        let expected: Item[] = [];
        const forks: [SortedList<Item>, Item[]][] = [];
        for (const step of operations) {
          if (step.kind === 'fork') forks.push([list.fork(), expected]);
          else if (step.kind === 'shift') {
            expect(list.shift()).toEqual(expected[0]);
            expected = expected.slice(1);
          } else {
            if (step.kind === 'set') list.set(step.value);
            else list.delete(step.value);
            expected = model(expected, step.value, step.kind === 'set');
            expect(list.has(step.value)).toBe(step.kind === 'set');
          }
        }
        for (const [fork, items] of [...forks, [list, expected] as const]) {
          expect([...fork]).toEqual(items);
          expect(fork.size).toBe(items.length);
          expect(fork.first()).toEqual(items[0]);
          expect(fork.slice(from, from + length)).toEqual(items.slice(from, from + length));
          expect(fork.countWhile(({ at }) => at < 5)).toBe(items.filter(({ at }) => at < 5).length);
        }
        // A change of a fork doesn't change the list that it was made from.
        for (const [fork] of forks) fork.set({ at: 0, order: 99, text: 'new' });
        expect([...list]).toEqual(expected);
        for (const [fork] of forks) fork.clear();
        expect([...list]).toEqual(expected);
      }),
      runs(200),
    );
  });

  it('stays sorted with 5,000 items, filled from either end and from the middle', () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => (index * 2741) % 5000);
    for (const order of [numbers, [...numbers].sort((a, b) => a - b), [...numbers].sort((a, b) => b - a)]) {
      const list = new SortedList(compare);
      for (const at of order) list.set({ at, order: 0, text: '' });
      const before = list.fork();
      expect([...list].map(({ at }) => at)).toEqual(Array.from({ length: 5000 }, (_, index) => index));
      expect(list.countWhile(({ at }) => at < 1234)).toBe(1234);
      for (const at of numbers.slice(0, 4000)) list.delete({ at, order: 0, text: '' });
      expect([...list].map(({ at }) => at)).toEqual(numbers.slice(4000).sort((a, b) => a - b));
      expect(before.size).toBe(5000);
      expect(before.slice(2500, 2502).map(({ at }) => at)).toEqual([2500, 2501]);
    }
  });
});
