import { describe, expect, it } from 'vitest';
import { afterRateLimit, afterUnauthorized, nextCheck, nextSend } from '../../src/publisher/intents/wake-times.js';

const second = 1_000;
const minute = 60_000;
const day = 24 * 60 * minute;
const at = Date.parse('2026-05-01T09:00:00Z');

describe('when an intent is due next', () => {
  it('is sent again soon, then every five minutes', () => {
    const pauses = Array.from({ length: 7 }, (_, attempts) => nextSend(at, attempts + 1) - at);
    expect(pauses.map((ms) => ms / second)).toEqual([1, 5, 15, 60, 300, 300, 300]);
  });

  it('waits as long as a 429 says, and no shorter than without it', () => {
    const rejected = (retryAfterMs?: number) => afterRateLimit(at, 1, { outcome: 'rejected', retryAfterMs });
    expect(rejected()).toBe(at + second);
    expect(rejected(500)).toBe(at + second);
    expect(rejected(90_000)).toBe(at + 90_000);
    expect(rejected(90 * day)).toBe(at + 90 * day);
    expect(afterUnauthorized(at)).toBe(at + 5 * minute);
  });

  it('waits at most a day for the 429 of another call, whose Retry-After can be wrong', () => {
    const notSent = (retryAfterMs: number) => afterRateLimit(at, 1, { outcome: 'not_sent', retryAfterMs });
    expect(notSent(90_000)).toBe(at + 90_000);
    expect(notSent(90 * day)).toBe(at + day);
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
