import { describe, expect, it } from 'vitest';
import { offsetOf, ServiceClock } from '../../src/core/service-clock.js';

const noon = Date.parse('2030-01-01T12:00:00Z');
const noonHeader = 'Tue, 01 Jan 2030 12:00:00 GMT';

describe("the service's clock", () => {
  it('is unknown before the first readable Date header', () => {
    const clock = new ServiceClock();
    for (const header of [null, undefined, '', 'soon']) clock.learn(header, noon);
    expect(clock.offsetMs).toBeUndefined();
    expect(clock.recentOffsetMs(noon)).toBeUndefined();
  });

  it('is as far ahead as the newest Date header says', () => {
    const clock = new ServiceClock();
    clock.learn('Tue, 01 Jan 2030 12:00:07 GMT', noon);
    expect(clock.offsetMs).toBe(7_000);
    clock.learn('Tue, 01 Jan 2030 11:57:00 GMT', noon);
    expect(clock.offsetMs).toBe(-180_000);
    clock.learn('soon', noon);
    expect(clock.offsetMs).toBe(-180_000);
  });

  it('is read from the first reply of a second', () => {
    const clock = new ServiceClock();
    clock.learn(noonHeader, noon);
    clock.learn(noonHeader, noon + 999);
    expect(clock.offsetMs).toBe(0);
  });

  it('follows a service with a stopped clock', () => {
    const clock = new ServiceClock();
    clock.learn(noonHeader, noon);
    clock.learn(noonHeader, noon + 1_000);
    expect(clock.offsetMs).toBe(-1_000);
  });

  it('is not trusted for longer than 10 minutes, in either direction', () => {
    const clock = new ServiceClock();
    clock.learn(noonHeader, noon);
    const minutes = (count: number) => clock.recentOffsetMs(noon + count * 60_000);
    expect([minutes(10), minutes(-10)]).toEqual([0, 0]);
    expect([minutes(10.001), minutes(-10.001)]).toEqual([undefined, undefined]);
    expect(clock.offsetMs).toBe(0);
  });
});

it('the offset of one header is its time minus the local time', () => {
  expect(offsetOf(noonHeader, noon + 1_500)).toBe(-1_500);
  expect(offsetOf('soon', noon)).toBeUndefined();
  expect(offsetOf(null, noon)).toBeUndefined();
});
