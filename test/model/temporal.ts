import { Temporal } from '@js-temporal/polyfill';
import { expect } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { zonedTime } from '../../src/model/zoned-time.js';

/** Zones with hours, half hours and quarters, changes at midnight, two changes for Ramadan, and a day that was skipped. */
export const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Tehran',
  'Pacific/Apia',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Gaza',
  'Antarctica/Troll',
];

/** Returns the result of Temporal, in the same form. */
export function oracle(local: string, zone: string, disambiguation: 'reject' | 'earlier' | 'later'): string {
  try {
    const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation });
    return zoned.toString({ timeZoneName: 'never', smallestUnit: 'second' });
  } catch {
    return 'refused';
  }
}

export function ours(local: string, zone: string, choice: 'reject' | 'earlier' | 'later'): string {
  try {
    return zonedTime(local, zone, { gap: choice, overlap: choice });
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    return 'refused';
  }
}

export const isoMinute = (time: number) => new Date(time).toISOString().slice(0, 16);
