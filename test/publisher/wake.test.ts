import { describe, expect, it } from 'vitest';
import {
  afterRateLimit,
  afterUnauthorized,
  lookAtLeastEveryMs,
  nextLook,
  nextLookAtAccepted,
  nextSend,
} from '../../src/publisher/wake.js';

const second = 1_000;
const minute = 60_000;
const at = Date.parse('2026-05-01T09:00:00Z');
const news = (scheduledFor?: string) => ({ postId: 'post_1', status: 'scheduled', scheduledFor });

describe('when an intent is come back to', () => {
  it('looks for a post soon, then less and less often, and once an hour in the end', () => {
    const pauses = Array.from({ length: 8 }, (_, looks) => nextLook(at, looks) - at);
    expect(pauses.map((ms) => ms / second)).toEqual([5, 15, 60, 300, 900, 3600, 3600, 3600]);
    expect(lookAtLeastEveryMs).toBe(60 * minute);
  });

  it('sends what did not get through soon, then every five minutes', () => {
    const pauses = Array.from({ length: 7 }, (_, attempts) => nextSend(at, attempts + 1) - at);
    expect(pauses.map((ms) => ms / second)).toEqual([1, 5, 15, 60, 300, 300, 300]);
  });

  it('waits as long as a 429 says, and no shorter than without it', () => {
    expect(afterRateLimit(at, 1, undefined)).toBe(at + second);
    expect(afterRateLimit(at, 1, 500)).toBe(at + second);
    expect(afterRateLimit(at, 1, 90_000)).toBe(at + 90_000);
    expect(afterUnauthorized(at)).toBe(at + 5 * minute);
  });

  it('looks at an accepted post half a minute after its time, and then as at any other', () => {
    expect(nextLookAtAccepted(at, 0, news())).toBe(at + 5 * second);
    expect(nextLookAtAccepted(at, 0, news('2026-05-01T10:00:00Z'))).toBe(at + 60 * minute + 30 * second);
    expect(nextLookAtAccepted(at, 0, news('2026-05-01T08:00:00Z'))).toBe(at + 5 * second);
    expect(nextLookAtAccepted(at, 0, news('soon'))).toBe(at + 5 * second);
  });
});
