import { describe, expect, it } from 'vitest';
import { afterRateLimit, afterUnauthorized, nextCheck, nextSend } from '../../src/publisher/intents/wake-times.js';

const second = 1_000;
const minute = 60_000;
const at = Date.parse('2026-05-01T09:00:00Z');

describe('when an intent is due next', () => {
  it('is sent again soon, then every five minutes', () => {
    const pauses = Array.from({ length: 7 }, (_, attempts) => nextSend(at, attempts + 1) - at);
    expect(pauses.map((ms) => ms / second)).toEqual([1, 5, 15, 60, 300, 300, 300]);
  });

  it('waits as long as a 429 says, and no shorter than without it', () => {
    expect(afterRateLimit(at, 1, undefined)).toBe(at + second);
    expect(afterRateLimit(at, 1, 500)).toBe(at + second);
    expect(afterRateLimit(at, 1, 90_000)).toBe(at + 90_000);
    expect(afterUnauthorized(at)).toBe(at + 5 * minute);
  });

  it('is checked half a minute after its scheduled time, then as from its acceptance', () => {
    const check = (ms: number, scheduledFor?: string) => (nextCheck(at + ms, at, scheduledFor) - at) / second;
    expect([check(0), check(5 * second), check(20 * second)]).toEqual([5, 20, 80]);
    const inAnHour = '2026-05-01T10:00:00Z';
    expect(check(0, inAnHour)).toBe(3_630);
    expect(check(3_630 * second, inAnHour)).toBe(3_645);
    expect(check(3_645 * second, inAnHour)).toBe(3_705);
    expect(check(0, '2026-05-01T08:00:00Z')).toBe(5);
    expect(check(0, 'soon')).toBe(5);
  });
});
