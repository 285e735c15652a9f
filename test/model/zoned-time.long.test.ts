import { Temporal } from '@js-temporal/polyfill';
import { expect, it } from 'vitest';
import { isoMinute, oracle, ours, zones } from './temporal.js';

it.each(zones)('Temporal says the same around every change of fifty years in %s', (zone) => {
  const from = Temporal.Instant.from('1976-01-01T00:00:00Z').toZonedDateTimeISO(zone);
  const until = Date.parse('2026-01-01T00:00:00Z');
  let changes = 0;
  for (let at = from.getTimeZoneTransition('next'); at !== null; at = at.getTimeZoneTransition('next')) {
    if (at.epochMilliseconds > until) break;
    changes += 1;
    // The clock before the change, the one after it, and the times around both.
    const clock = Date.parse(`${at.toPlainDateTime().toString({ smallestUnit: 'second' })}Z`);
    for (const minutes of [-181, -61, -60, -31, -30, -1, 0, 1, 15, 29, 30, 31, 59, 60, 61, 90, 180]) {
      const local = isoMinute(clock + minutes * 60_000);
      for (const choice of ['reject', 'earlier', 'later'] as const) {
        expect([local, choice, ours(local, zone, choice)]).toEqual([local, choice, oracle(local, zone, choice)]);
      }
    }
  }
  expect(changes).toBeGreaterThan(5);
});
