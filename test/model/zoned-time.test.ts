import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { zonedTime } from '../../src/model/zoned-time.js';
import { runs } from '../support/property.js';
import { isoMinute, oracle, ours, zones } from './temporal.js';

describe('a time in a zone', () => {
  it.each([
    ['2027-01-15T09:00', 'Europe/Berlin', '2027-01-15T09:00:00+01:00'],
    ['2027-07-15T09:00:30', 'Europe/Berlin', '2027-07-15T09:00:30+02:00'],
    ['2027-01-15T09:00', 'America/St_Johns', '2027-01-15T09:00:00-03:30'],
    ['2027-01-15T00:00', 'Asia/Kathmandu', '2027-01-15T00:00:00+05:45'],
    ['2027-01-15T23:59', 'Pacific/Kiritimati', '2027-01-15T23:59:00+14:00'],
    ['2027-01-15T00:00', 'UTC', '2027-01-15T00:00:00+00:00'],
    ['2027-01-15T00:00', 'Etc/GMT+1', '2027-01-15T00:00:00-01:00'],
    // `Date.UTC` takes such years for others, and Intl counts those before 1 backwards.
    ['0050-06-01T12:00', 'UTC', '0050-06-01T12:00:00+00:00'],
    ['0000-02-29T12:00', 'UTC', '0000-02-29T12:00:00+00:00'],
    // Its offset had seconds, which a date-time can't show.
    ['1971-06-01T00:00', 'Africa/Monrovia', '1971-06-01T00:44:30Z'],
  ])('%s in %s is %s', (local, zone, expected) => {
    expect(zonedTime(local, zone)).toBe(expected);
  });

  it('is refused in a gap, with both neighbours', () => {
    const gap = () => zonedTime('2027-03-28T02:30', 'Europe/Berlin');
    expect(gap).toThrow(InvalidRequestError);
    expect(gap).toThrow(/does not exist.*2027-03-28T01:30:00\+01:00.*2027-03-28T03:30:00\+02:00/);
    expect(zonedTime('2027-03-28T02:30', 'Europe/Berlin', { gap: 'earlier' })).toBe('2027-03-28T01:30:00+01:00');
    expect(zonedTime('2027-03-28T02:30', 'Europe/Berlin', { gap: 'later' })).toBe('2027-03-28T03:30:00+02:00');
    expect(() => zonedTime('2027-03-28T02:30', 'Europe/Berlin', { overlap: 'later' })).toThrow('does not exist');
  });

  it('is refused if it occurs twice, with both', () => {
    const overlap = () => zonedTime('2027-10-31T02:30', 'Europe/Berlin');
    expect(overlap).toThrow(/occurs twice.*2027-10-31T02:30:00\+02:00.*2027-10-31T02:30:00\+01:00/);
    expect(zonedTime('2027-10-31T02:30', 'Europe/Berlin', { overlap: 'earlier' })).toBe('2027-10-31T02:30:00+02:00');
    expect(zonedTime('2027-10-31T02:30', 'Europe/Berlin', { overlap: 'later' })).toBe('2027-10-31T02:30:00+01:00');
    expect(() => zonedTime('2027-10-31T02:30', 'Europe/Berlin', { gap: 'later' })).toThrow(
      /occurs twice.*because the clocks change\. Pass overlap/,
    );
  });

  it.each([
    ['2027-02-30T09:00', 'names a day that does not exist: 2027-02 has 28 days'],
    ['2027-13-01T09:00', 'must be written'],
    ['2027-01-15T24:00', 'midnight is 00:00 of the next day'],
    ['2027-01-15T09:60', 'a time of day from 00:00 to 23:59:59'],
    ['2027-01-15T09:00:60', 'a time of day from 00:00 to 23:59:59'],
    ['2027-01-15 09:00', 'must be written'],
    ['15.01.2027 09:00', 'must be written'],
    ['2027-01-15', 'must be written'],
    ['', 'must be written'],
    ['2027-01-15T09:00:00.5', 'must be written'],
    [' 2027-01-15T09:00', 'must be written'],
    ['2027-01-15T9:00', 'must be written'],
    ['27-01-15T09:00', 'must be written'],
    ['2027-01-15T09:00Z', 'must not have an offset'],
    ['2027-01-15T09:00+01:00', 'must not have an offset'],
    [new Date(), 'must be a local time, not a Date'],
    [1_800_000_000_000, 'must be written'],
    [undefined, 'must be written'],
  ])('is refused, and what to do is said: %s', (local, message) => {
    const refused = () => zonedTime(local as string, 'Europe/Berlin');
    expect(refused).toThrow(InvalidRequestError);
    expect(refused).toThrow(message);
  });

  it.each([
    ['Europe/Atlantis', 'must be an IANA time zone that this runtime knows'],
    ['Europe/Berln', "did you mean 'Europe/Berlin'?"],
    ['', 'must be an IANA time zone'],
    [undefined, 'must be an IANA time zone'],
  ])('refuses an invalid zone, and says what to do: %s', (zone, message) => {
    const refused = () => zonedTime('2027-01-15T09:00', zone as string);
    expect(refused).toThrow(InvalidRequestError);
    expect(refused).toThrow(message);
  });

  it('names the mistake and the argument', () => {
    const issuesOf = (...args: Parameters<typeof zonedTime>) => {
      try {
        return zonedTime(...args);
      } catch (error) {
        return (error as InvalidRequestError).issues.map(({ message }) => message).join();
      }
    };
    expect(issuesOf('2027-02-30T09:00', 'UTC')).toMatch(/^local '2027-02-30T09:00' names a day that does not exist/);
    expect(issuesOf('2027-01-15T24:00', 'UTC')).toMatch(
      /^local '2027-01-15T24:00' must be a time of day from 00:00 to 23:59:59;/,
    );
    expect(issuesOf('tomorrow', 'UTC')).toMatch(/^local 'tomorrow' must be written YYYY-MM-DDTHH:mm or/);
    expect(issuesOf(new Date() as never, 'UTC')).toBe(
      'local must be a local time, not a Date. Pass the Date to the call without zonedTime',
    );
    expect(issuesOf(7 as never, 'UTC')).toMatch(/^local \(a number\) must be written/);
    for (const zone of ['', undefined, 7])
      expect(issuesOf('2027-01-15T09:00', zone as never)).toBe(
        "zone must be an IANA time zone that this runtime knows, for example 'Europe/Berlin'",
      );
    for (const zone of ['', 'Europe/Atlantis', 5 as never]) {
      expect(issuesOf('2027-01-15T09:00', zone)).toMatch(/^zone ('Europe\/Atlantis' )?must be an IANA time zone/);
    }
    for (const options of [null, 'later', 5]) {
      expect(issuesOf('2027-01-15T09:00', 'UTC', options as never)).toBe('options must be an object');
    }
    expect(issuesOf('2027-01-15T09:00', 'UTC', { overlap: 'next' } as never)).toMatch(/^overlap must be 'reject'/);
    expect(issuesOf('2027-01-15T09:00', 'UTC', { gaps: 'later' } as never)).toMatch(/^'gaps' /);
    expect(issuesOf('2027-03-28T02:30', 'Europe/Berlin')).toMatch(
      /^local '2027-03-28T02:30' does not exist in Europe\/Berlin.* Pass gap: 'earlier' for .*, or gap: 'later' for /,
    );
  });

  it('accepts reject and undefined as options', () => {
    for (const choice of ['reject', undefined] as const) {
      const options = { gap: choice, overlap: choice };
      expect(zonedTime('2027-01-15T09:00', 'UTC', options)).toBe('2027-01-15T09:00:00+00:00');
      expect(() => zonedTime('2027-03-28T02:30', 'Europe/Berlin', options)).toThrow('does not exist');
    }
  });

  it('takes no misspelt option', () => {
    expect(() => zonedTime('2027-01-15T09:00', 'UTC', { gaps: 'later' } as never)).toThrow(
      "did you mean 'gap'? Supported: gap, overlap",
    );
    expect(() => zonedTime('2027-01-15T09:00', 'UTC', { gap: 'next' } as never)).toThrow(
      "'reject', 'earlier' or 'later'",
    );
  });
});

describe('Temporal says the same', () => {
  it('at any time', () => {
    const times = fc.integer({ min: Date.parse('1976-01-01T00:00Z'), max: Date.parse('2050-01-01T00:00Z') });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        times,
        fc.constantFrom('reject', 'earlier', 'later'),
        (zone, time, choice) => {
          const local = isoMinute(time);
          expect(ours(local, zone, choice)).toBe(oracle(local, zone, choice));
        },
      ),
      runs(300),
    );
  });
});
