import { afterEach, describe, expect, it, vi } from 'vitest';
import { Temporal } from '@js-temporal/polyfill';
import { runInNewContext } from 'node:vm';
import { epochOf, hasOffset, instantOf, momentMessage, momentOf } from '../../src/model/instant.js';

describe('instantOf', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/New_York'])('takes a date-time without an offset for UTC in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    for (const text of ['2026-03-01T12:00:00', '2026-03-01T12:00', '2026-03-01 12:00:00.000', '2026-03-01T12:00:00Z']) {
      expect(instantOf(text)).toBe(Date.UTC(2026, 2, 1, 12));
    }
  });

  it('reads an offset', () => {
    expect(instantOf('2026-03-01T12:00:00+02:00')).toBe(Date.UTC(2026, 2, 1, 10));
    expect(instantOf('2026-03-01 12:00:00 UTC')).toBe(Date.UTC(2026, 2, 1, 12));
  });

  it.each(['2026-03-01T12:00:00.25Z', '2026-03-01T12:00:00.250', '2026-03-01 12:00:00.25'])(
    'reads parts of a second: %s',
    (text) => {
      expect(instantOf(text)).toBe(Date.UTC(2026, 2, 1, 12, 0, 0, 250));
    },
  );

  it.each([
    '',
    'soon',
    '2026-03-01',
    '2026-03-01T',
    '2026-13-01T12:00:00Z',
    'on 2026-03-01T12:00:00Z',
    'March 1, 2026 12:00:00',
    '2026/03/01 12:00',
    '26-03-01 12:00',
    '2026-3-1 12:00',
    '2026-03-1 12:00',
    '2026-03-01 1:00',
    '2026-03-01 12:0',
    '2026-03-01 09:00 PM',
    undefined,
  ])('knows none in %s', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});

describe('hasOffset', () => {
  it.each([
    ['2026-03-01T12:00:00Z', true],
    ['2026-03-01T12:00+01:00', true],
    ['2026-03-01T12:00:00.5-0800', true],
    ['2026-03-01 12:00:00+0100', true],
    ['2026-03-01T12:00:00', false],
    ['2026-03-01T12:00', false],
    ['2026-03-01 12:00:00.123', false],
    ['2026-03-01 09:00 PM', false],
    ['2026-03-01 12:00:00 (UTC)', false],
    ['2026-03-01', false],
    ['at 2026-03-01T12:00:00Z', false],
    ['', false],
  ])('of %s is %s', (text, expected) => {
    expect(hasOffset(text)).toBe(expected);
  });
});

const noon = Date.UTC(2026, 2, 1, 12);

describe('epochOf', () => {
  it('reads a Date of any realm, and any instant with milliseconds', () => {
    expect(epochOf(new Date(noon))).toBe(noon);
    expect(epochOf(runInNewContext(`new Date(${String(noon)})`))).toBe(noon);
    expect(epochOf(Temporal.Instant.fromEpochMilliseconds(noon))).toBe(noon);
    expect(epochOf({ epochMilliseconds: -5 })).toBe(-5);
  });

  it('knows none that no Date can hold', () => {
    const latest = 8_640_000_000_000_000;
    for (const epochMilliseconds of [latest, -latest]) expect(epochOf({ epochMilliseconds })).toBe(epochMilliseconds);
    for (const epochMilliseconds of [latest + 1, -latest - 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(epochOf({ epochMilliseconds })).toBeUndefined();
    }
    expect(epochOf(new Date(Number.NaN))).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    noon,
    '2026-03-01T12:00:00Z',
    {},
    [],
    { epochMilliseconds: '5' },
    { epochMilliseconds: 5n },
  ])('knows none in %o', (value) => {
    expect(epochOf(value)).toBeUndefined();
  });
});

describe('momentOf', () => {
  it.each([
    ['2026-03-01T09:00:00Z', Date.UTC(2026, 2, 1, 9)],
    ['2024-02-29T09:00:00+01:00', Date.UTC(2024, 1, 29, 8)],
    [new Date(5), 5],
    [{ epochMilliseconds: 6 }, 6],
  ])('of %j is %i', (value, expected) => {
    expect(momentOf(value)).toBe(expected);
  });

  it.each([
    ['2026-03-01T09:00:00', 'with its offset'],
    ['2026-03-01 09:00 PM', 'with its offset'],
    ['2026-02-30T09:00:00Z', 'names a day that does not exist: 2026-02 has 28 days'],
    ['2024-02-30T09:00:00Z', '2024-02 has 29 days'],
    ['2026-04-31T09:00:00Z', '2026-04 has 30 days'],
    ['2026-03-00T09:00:00Z', '2026-03 has 31 days'],
    ['2026-13-01T09:00:00Z', 'with its offset'],
    [1_772_352_000_000, 'pass milliseconds as new Date(n)'],
    [new Date(Number.NaN), 'must be a Date'],
  ])('of %j does not exist, and the message says so', (value, message) => {
    expect(momentOf(value)).toBeUndefined();
    expect(momentMessage(value)).toContain(message);
  });
});
