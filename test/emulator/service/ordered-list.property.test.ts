import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedList } from '../../../src/emulator/service/ordered-list.js';
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
  { weight: 1, arbitrary: fc.constant({ kind: 'shift' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fork' as const }) },
);

const compare = (a: Item, b: Item) => a.at - b.at || a.order - b.order;
const newList = () =>
  new OrderedList<Item>(
    ({ at }) => at,
    ({ order }) => order,
  );

/** The same as an array that is sorted anew each time. */
function model(items: readonly Item[], value: Item, add: boolean): Item[] {
  const others = items.filter((other) => compare(other, value) !== 0);
  return add ? [...others, value].sort(compare) : others;
}

describe('an ordered list', () => {
  it('is what a sorted array is, whatever is done to it and to its forks', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), fc.nat(14), fc.nat(14), (operations, from, length) => {
        const list = newList();
        let expected: Item[] = [];
        const forks: [OrderedList<Item>, Item[]][] = [];
        for (const step of operations) {
          if (step.kind === 'fork') forks.push([list.fork(), expected]);
          else if (step.kind === 'shift') {
            expect(list.shift()).toEqual(expected[0]);
            expected = expected.slice(1);
          } else {
            if (step.kind === 'set') list.set(step.value);
            else list.delete(step.value);
            expected = model(expected, step.value, step.kind === 'set');
          }
        }
        for (const [fork, items] of [...forks, [list, expected] as const]) {
          expect([...fork]).toEqual(items);
          expect(fork.size).toBe(items.length);
          expect([fork.first(), fork.last()]).toEqual([items[0], items.at(-1)]);
          expect(fork.slice(from, from + length)).toEqual(items.slice(from, from + length));
          const backwards: Item[] = [];
          fork.each(from, from + length, true, (value) => backwards.push(value));
          expect(backwards).toEqual(items.slice(from, from + length).reverse());
          expect(fork.countBelow(5)).toBe(items.filter(({ at }) => at < 5).length);
          for (const text of ['', 'a', items[0]?.text]) {
            const isIt = (value: Item) => value.text === text;
            expect(fork.find(isIt, 5)).toEqual(items.find((value) => value.at === 5 && isIt(value)));
            expect(fork.find(isIt, 5, 3)).toEqual(
              items.find((value) => value.at === 5 && value.order >= 3 && isIt(value)),
            );
          }
        }
        // A fork that changes doesn't change what it came from.
        for (const [fork] of forks) fork.set({ at: 0, order: 99, text: 'new' });
        expect([...list]).toEqual(expected);
      }),
      runs(200),
    );
  });

  it('finds an item among many of one first number, from the first on or from its own place', () => {
    const list = newList();
    for (let order = 0; order < 5000; order += 1) list.set({ at: order < 10 ? 1 : 2, order, text: String(order) });
    for (const order of [10, 511, 512, 513, 4999]) {
      const found = { at: 2, order, text: String(order) };
      const looks: number[] = [];
      const isIt = (value: Item) => looks.push(value.order) > 0 && value.text === found.text;
      expect(list.find(isIt, 2)).toEqual(found);
      expect(looks.splice(0)).toHaveLength(order - 9);
      expect(list.find(isIt, 2, order)).toEqual(found);
      expect(looks).toEqual([order]);
      expect([list.find(isIt, 1), list.find(isIt, 3), list.find(isIt, Number.NaN)]).toEqual(Array(3).fill(undefined));
    }
  });

  it('stays in order over many chunks, filled from either end and from the middle', () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => (index * 2741) % 5000);
    for (const order of [numbers, [...numbers].sort((a, b) => a - b), [...numbers].sort((a, b) => b - a)]) {
      const list = newList();
      for (const at of order) list.set({ at, order: 0, text: '' });
      const before = list.fork();
      expect([...list].map(({ at }) => at)).toEqual(Array.from({ length: 5000 }, (_, index) => index));
      expect(list.countBelow(1234)).toBe(1234);
      for (const at of numbers.slice(0, 4000)) list.delete({ at, order: 0, text: '' });
      expect([...list].map(({ at }) => at)).toEqual(numbers.slice(4000).sort((a, b) => a - b));
      expect(before.size).toBe(5000);
      expect(before.slice(2500, 2502).map(({ at }) => at)).toEqual([2500, 2501]);
    }
  });
});
