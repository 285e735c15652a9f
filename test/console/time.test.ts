import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addDays, addMonths, dayOf, instant, startOf, toField, weeksOf } from '../../src/console/state/time.js';

beforeEach(() => {
  // Its clocks change twice a year.
  vi.stubEnv('TZ', 'Europe/Berlin');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const day = () =>
  fc.date({ min: new Date('2000-01-02'), max: new Date('2060-01-01'), noInvalidDate: true }).map((date) => dayOf(date));

describe('a month on the calendar', () => {
  it('holds each of its days once, in whole weeks from Monday', () => {
    fc.assert(
      fc.property(day(), (date) => {
        const weeks = weeksOf(date);
        const days = weeks.flat();
        expect(new Set(days).size).toBe(days.length);
        expect(weeks.every((week) => week.length === 7 && startOf(week[0] ?? '').getDay() === 1)).toBe(true);
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
          const back = new Date(toField(minute)).getTime();
          // The hour that comes twice when the clocks go back has one name.
          expect(Math.abs(back - minute) % 3_600_000).toBe(0);
          expect(Math.abs(back - minute)).toBeLessThanOrEqual(3_600_000);
        },
      ),
    );
  });
});
