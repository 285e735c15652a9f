import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InvalidRequestError, splitDateRange, type Issue } from '../../src/index.js';
import { checkDateRange, daysBetween } from '../../src/schema/date-range.js';

describe('the range of two dates', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2027-06-30T00:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Returns the issues of a range of at most 90 days. */
  const check = (range: { fromDate?: unknown; toDate?: unknown }) => {
    const issues: unknown[] = [];
    checkDateRange(range, ['fromDate', 'toDate'], 90, (path, message) => issues.push([path, message]));
    return issues;
  };

  it.each([
    ['of one day', { fromDate: '2027-01-01', toDate: '2027-01-01' }],
    ['of 90 days', { fromDate: '2027-01-01', toDate: '2027-04-01' }],
    ['without a start', { toDate: '2027-01-01' }],
    ['of nothing', {}],
    ['with an invalid start, which is reported separately', { fromDate: 'soon', toDate: '2027-01-01' }],
    ['with an invalid end, which is reported separately', { fromDate: '2027-01-01', toDate: 'later' }],
    ['with an invalid start, without an end', { fromDate: 'soon' }],
    ['up to today, in the future', { fromDate: '2030-01-01' }],
    ['up to today, by a clock that is three years behind', { fromDate: dayBefore(90 + 3 * 365) }],
  ])('is accepted: %s', (_, range) => {
    expect(check(range)).toEqual([]);
  });

  it('must not be reversed', () => {
    const issue = [['fromDate'], 'must not be after toDate'];
    expect(check({ fromDate: '2027-01-02', toDate: '2027-01-01' })).toEqual([issue]);
    expect(check({ fromDate: '2027-12-31', toDate: '2027-01-01' })).toEqual([issue]);
  });

  it('must not be too long', () => {
    const issue = [
      ['toDate'],
      'must be at most 90 days after fromDate: split the range, for example with splitDateRange',
    ];
    expect(check({ fromDate: '2027-01-01', toDate: '2027-04-02' })).toEqual([issue]);
    expect(check({ fromDate: '2027-01-01', toDate: '2028-01-01' })).toEqual([issue]);
  });

  it('must not be too long up to today, by any clock', () => {
    const issue = [['fromDate'], 'must be at most 90 days before toDate; if you omit toDate, it is today'];
    expect(check({ fromDate: dayBefore(91 + 3 * 365) })).toEqual([issue]);
    expect(check({ fromDate: '2001-01-01' })).toEqual([issue]);
  });
});

function dayBefore(days: number): string {
  return new Date(Date.UTC(2027, 5, 30 - days)).toISOString().slice(0, 10);
}

describe('the days between two dates', () => {
  it.each([
    ['2027-01-01', '2027-01-01', 0],
    ['2027-01-01', '2027-01-03', 2],
    ['2027-01-01', '2027-01-01T12:00:00Z', 0.5],
    ['2027-01-02', '2027-01-01', -1],
    [2027, '2028-01-01', undefined],
    ['2027-01-01', 2028, undefined],
    ['soon', '2028-01-01', undefined],
    [undefined, '2027-01-01', undefined],
    ['2027-01-01', undefined, undefined],
    ['2027-01-01', 'later', undefined],
    [['2027-01-01'], '2027-01-02', undefined],
    ['2027-01-01', ['2027-01-02'], undefined],
  ])('from %j to %j', (from, to, days) => {
    expect(daysBetween(from, to)).toBe(days);
  });
});

describe('splitDateRange', () => {
  /** Passes arguments that a caller without types might pass, and returns the issues. */
  const refused = (range: unknown, maxDays: unknown): readonly Issue[] => {
    try {
      splitDateRange(range as Parameters<typeof splitDateRange>[0], maxDays as number);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidRequestError);
      return (error as InvalidRequestError).issues;
    }
    return [];
  };
  const notADay = (name: string) => ({
    path: [name],
    message: `${name} must be a calendar day as 'YYYY-MM-DD', or a Date`,
  });
  const day = '2027-01-01';

  it.each([undefined, null, {}, 5])('reports both ends if it has neither: %j', (range) => {
    expect(refused(range, 90)).toEqual([notADay('since'), notADay('until')]);
  });

  it.each([
    'today',
    '2027-13-01',
    '2027-1-1',
    ' 2027-01-01',
    '2027-01-01 ',
    '2027-01-01T00:00:00Z',
    '+012027-01',
    '',
    null,
    true,
    new Date(Number.NaN),
    ['2027-01-01'],
  ])('refuses %j as a day', (value) => {
    expect(refused({ since: value, until: day }, 90)).toEqual([notADay('since')]);
    expect(refused({ since: day, until: value }, 90)).toEqual([notADay('until')]);
  });

  it('explains a day that does not exist, and a number', () => {
    expect(refused({ since: '2026-02-29', until: 5 }, 90)).toEqual([
      { path: ['since'], message: 'since names a day that does not exist: 2026-02 has 28 days' },
      {
        path: ['until'],
        message: "until must be a calendar day as 'YYYY-MM-DD', or a Date; pass milliseconds as new Date(n)",
      },
    ]);
  });

  it('refuses a reversed range, together with invalid days per range', () => {
    const reversed = { path: ['since'], message: 'since must not be after until' };
    const notWhole = { path: ['maxDays'], message: 'maxDays must be a whole number, 1 or more' };
    expect(refused({ since: '2027-01-02', until: day }, 90)).toEqual([reversed]);
    expect(refused({ since: '2027-01-02', until: day }, 0)).toEqual([notWhole, reversed]);
    for (const maxDays of [0, -1, 1.5, Number.NaN, '90', null, undefined])
      expect(refused({ since: day, until: day }, maxDays)).toEqual([notWhole]);
  });

  it('returns one range per day for 1, and ends at the last day', () => {
    expect(splitDateRange({ since: '2028-02-28', until: '2028-03-01' }, 1)).toEqual([
      { since: '2028-02-28', until: '2028-02-28' },
      { since: '2028-02-29', until: '2028-02-29' },
      { since: '2028-03-01', until: '2028-03-01' },
    ]);
    expect(splitDateRange({ since: '2028-02-28', until: '2028-03-01' }, 2)).toEqual([
      { since: '2028-02-28', until: '2028-02-29' },
      { since: '2028-03-01', until: '2028-03-01' },
    ]);
  });

  it('reads the UTC day of a moment before 1970', () => {
    const at = new Date('1969-12-31T23:59:59.999Z');
    expect(splitDateRange({ since: at, until: { epochMilliseconds: 0 } }, 90)).toEqual([
      { since: '1969-12-31', until: '1970-01-01' },
    ]);
  });
});
