import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasOffset, instantOf } from '../../src/model/instant.js';

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
  });

  it.each(['', 'soon', '2026-03-01', '2026-13-01T12:00:00Z', undefined])('knows none in %s', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});

describe('hasOffset', () => {
  it.each([
    ['2026-03-01T12:00:00Z', true],
    ['2026-03-01T12:00+01:00', true],
    ['2026-03-01T12:00:00.5-0800', true],
    ['2026-03-01T12:00:00', false],
    ['2026-03-01', false],
  ])('of %s is %s', (text, expected) => {
    expect(hasOffset(text)).toBe(expected);
  });
});
