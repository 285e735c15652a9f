import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, splitDateRange } from '../../src/index.js';
import { runs } from '../support/property.js';

const dayMs = 86_400_000;
const dayOf = (number: number) => new Date(number * dayMs).toISOString().slice(0, 10);
const numberOf = (day: string) => Date.parse(day) / dayMs;

describe('splitDateRange', () => {
  it('covers each day once, with as few ranges as can be, none too long', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -200_000, max: 200_000 }),
        fc.integer({ min: 0, max: 1_500 }),
        fc.integer({ min: 1, max: 400 }),
        (first, length, maxDays) => {
          const ranges = splitDateRange({ since: dayOf(first), until: dayOf(first + length) }, maxDays);
          expect(ranges).toHaveLength(Math.ceil((length + 1) / maxDays));
          let next = first;
          for (const { since, until } of ranges) {
            expect(numberOf(since)).toBe(next);
            expect(numberOf(until) - numberOf(since) + 1).toBeLessThanOrEqual(maxDays);
            next = numberOf(until) + 1;
          }
          expect(next).toBe(first + length + 1);
        },
      ),
      runs(200),
    );
  });

  it('counts both ends as days', () => {
    expect(splitDateRange({ since: '2026-01-01', until: '2026-03-31' }, 90)).toHaveLength(1);
    expect(splitDateRange({ since: '2026-01-01', until: '2026-04-01' }, 90)).toEqual([
      { since: '2026-01-01', until: '2026-03-31' },
      { since: '2026-04-01', until: '2026-04-01' },
    ]);
  });

  it('takes the UTC day of a Date', () => {
    const since = new Date('2026-01-01T23:59:59Z');
    expect(splitDateRange({ since, until: since }, 1)).toEqual([{ since: '2026-01-01', until: '2026-01-01' }]);
  });

  it.each([
    [{ since: '2026-02-30', until: '2026-03-01' }, 90, 'since'],
    [{ since: '2026-03-02', until: '2026-03-01' }, 90, 'since'],
    [{ since: '2026-03-01', until: 'today' }, 90, 'until'],
    [{ since: '2026-03-01', until: new Date(Number.NaN) }, 90, 'until'],
    [{ since: '2026-03-01', until: '2026-03-01' }, 0, 'maxDays'],
    [{ since: '2026-03-01', until: '2026-03-01' }, 1.5, 'maxDays'],
  ])('refuses %j in %d days', (range, maxDays, name) => {
    expect(() => splitDateRange(range, maxDays)).toThrow(InvalidRequestError);
    expect(() => splitDateRange(range, maxDays)).toThrow(new RegExp(name));
  });
});
