import { describe, expect, it } from 'vitest';
import { LearnedClock } from '../../src/http/clock.js';

const noon = Date.parse('2030-01-01T12:00:00Z');

describe("the service's clock", () => {
  it('is not known before a reply tells it', () => {
    const clock = new LearnedClock();
    clock.learn(null, noon);
    clock.learn('soon', noon);
    expect(clock.offsetMs).toBeUndefined();
  });

  it('is as far ahead as the newest Date header says', () => {
    const clock = new LearnedClock();
    clock.learn('Tue, 01 Jan 2030 12:00:07 GMT', noon);
    expect(clock.offsetMs).toBe(7_000);
    clock.learn('Tue, 01 Jan 2030 11:57:00 GMT', noon);
    expect(clock.offsetMs).toBe(-180_000);
  });

  it('is read from the first reply of a second, which is nearest to the truth', () => {
    const clock = new LearnedClock();
    clock.learn('Tue, 01 Jan 2030 12:00:00 GMT', noon);
    clock.learn('Tue, 01 Jan 2030 12:00:00 GMT', noon + 900);
    expect(clock.offsetMs).toBe(0);
  });
});
