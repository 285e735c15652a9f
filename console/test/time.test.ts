import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addDays,
  addMonths,
  dayIn,
  dayOf,
  formatPeriod,
  fromField,
  instant,
  onDay,
  toField,
  weekdayOf,
  weeksOf,
} from '../src/state/time.js';
import { usesUtc } from '../src/state/zone.js';

beforeEach(() => {
  // Its clocks change twice a year.
  vi.stubEnv('TZ', 'Europe/Berlin');
});

afterEach(() => {
  usesUtc.value = false;
  vi.unstubAllEnvs();
});

const day = () =>
  fc.date({ min: new Date('2000-01-02'), max: new Date('2060-01-01'), noInvalidDate: true }).map((date) => dayOf(date));

it('a day of the first century stays in it', () => {
  expect(addDays('0001-12-31', 1)).toBe('0002-01-01');
  expect(addMonths('0001-01-31', 1)).toBe('0001-02-28');
  expect(weekdayOf('0001-01-01')).toBe(0);
  expect(toField('0001-06-01T12:00:00Z')).toMatch(/^0001-06-01T/);
});

it('an address may contain any day that the calendar can show', () => {
  expect(['2027-03-10', '0001-01-01', '9999-12-31'].map(dayIn)).toEqual(['2027-03-10', '0001-01-01', '9999-12-31']);
  expect(
    ['', '-1', '2027-02-31', '9999-99-99', '0000-00-00', '0000-12-31', '10000-01-01', 'foo', '%E0%A4%A'].map(dayIn),
  ).toEqual(Array(9).fill(undefined));
});

describe('a month on the calendar', () => {
  it('holds each of its days once, in whole weeks from Monday', () => {
    fc.assert(
      fc.property(day(), (date) => {
        const weeks = weeksOf(date);
        const days = weeks.flat();
        expect(new Set(days).size).toBe(days.length);
        expect(weeks.every((week) => week.length === 7 && weekdayOf(week[0] ?? '') === 0)).toBe(true);
        const month = days.filter((other) => other.startsWith(date.slice(0, 7)));
        expect(month).toHaveLength(new Date(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0).getDate());
      }),
    );
  });

  it('days are counted across the change of the clocks', () => {
    fc.assert(
      fc.property(day(), fc.integer({ min: -400, max: 400 }), (date, days) => {
        expect(addDays(addDays(date, days), -days)).toBe(date);
      }),
    );
  });

  it('the last of a long month leads to the last of a short one', () => {
    expect(addMonths('2027-01-31', 1)).toBe('2027-02-28');
    expect(addMonths('2027-03-31', -1)).toBe('2027-02-28');
    expect(addMonths('2027-12-15', 1)).toBe('2028-01-15');
  });
});

describe('a time', () => {
  it('without an offset is UTC, as the service means it', () => {
    expect(instant('2027-03-10T09:00:00').toISOString()).toBe('2027-03-10T09:00:00.000Z');
    expect(instant('2027-03-10T09:00:00+02:00').toISOString()).toBe('2027-03-10T07:00:00.000Z');
  });

  it('goes into a field and out of it as the same minute', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-02'), max: new Date('2060-01-01'), noInvalidDate: true }),
        (date) => {
          const minute = Math.floor(date.getTime() / 60_000) * 60_000;
          const back = fromField(toField(minute)).getTime();
          // The hour that occurs twice when clocks go back has one name.
          expect(Math.abs(back - minute) % 3_600_000).toBe(0);
          expect(Math.abs(back - minute)).toBeLessThanOrEqual(3_600_000);
        },
      ),
    );
  });

  it('is of another day, field and format in UTC', () => {
    const late = '2027-03-10T23:30:00Z';
    expect([dayOf(late), toField(late)]).toEqual(['2027-03-11', '2027-03-11T00:30']);
    usesUtc.value = true;
    expect([dayOf(late), toField(late)]).toEqual(['2027-03-10', '2027-03-10T23:30']);
    expect(fromField('2027-03-10T23:30').toISOString()).toBe('2027-03-10T23:30:00.000Z');
  });

  it('keeps its hour on another day, across the change of the clocks', () => {
    expect(onDay('2027-03-26T07:30:15Z', '2027-03-29').toISOString()).toBe('2027-03-29T06:30:15.000Z');
    usesUtc.value = true;
    expect(onDay('2027-03-26T07:30:15Z', '2027-03-29').toISOString()).toBe('2027-03-29T07:30:15.000Z');
  });
});

it('a period names its year once', () => {
  expect(formatPeriod('2027-03-08', '2027-03-14')).toBe('8 Mar – 14 Mar 2027');
  expect(formatPeriod('2026-12-28', '2027-01-03')).toBe('28 Dec 2026 – 3 Jan 2027');
});
