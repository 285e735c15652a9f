import type * as z from 'zod/mini';
import { parseUrl } from '../../core/parse-url.js';
import { missingDay } from '../../model/instant.js';
import { isKnownPlatform, knownPlatforms } from '../../model/known-values.js';
import { parsed } from '../../schema/issues.js';
import { instant } from '../state/time.js';

// Checks that a reply's schema lacks, because it must accept future values of the service.

export type Fail = (message: string) => never;

export function failing(what: string): Fail {
  return (message) => {
    throw new TypeError(`seed.${what}: ${message}`);
  };
}

/** Refuses a seed that no reply of the service could contain, and copies the caller's objects. */
export function checked<T>(what: string, schema: z.ZodMiniType<T>, fields: object): T {
  checkDateTimes(failing(what), fields);
  return parsed(schema, structuredClone(fields), (issues) => new TypeError(`seed.${what}: ${issues}`));
}

export function checkPlatform(fail: Fail, platform: unknown, at = 'platform'): void {
  if (typeof platform !== 'string' || !isKnownPlatform(platform))
    fail(`${at} must be one of ${knownPlatforms.join(', ')}.`);
}

/** Fields that contain a date-time, at any depth. */
const dateTimes: readonly string[] = [
  'createdAt',
  'updatedAt',
  'scheduledFor',
  'publishedAt',
  'timestamp',
  'updatedTime',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'lastRunAt',
];
/** Free-form objects: the service ignores their fields. */
const freeForms: readonly string[] = ['rawRequestBody', 'platformMetadata'];

export function checkDateTimes(fail: Fail, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries<unknown>({ ...value })) {
    const at = path === '' ? name : `${path}.${name}`;
    if (typeof field === 'string' && dateTimes.includes(name)) {
      if (!/^\d{4}-\d\d-\d\dT/.test(field) || Number.isNaN(instant(field)))
        fail(`${at} must be an ISO 8601 date-time.`);
      const missing = missingDay(field);
      if (missing !== undefined) fail(`${at} ${missing}.`);
    } else if (!freeForms.includes(name)) {
      checkDateTimes(fail, field, at);
    }
  }
}

/** Refuses days such as `2026-02-30`. */
export function checkDay(fail: Fail, date: unknown): void {
  const at = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date)
    fail('date must be a real day, YYYY-MM-DD.');
}

export function checkMetrics(fail: Fail, metrics: unknown, names: readonly string[]): void {
  if (typeof metrics !== 'object' || metrics === null) fail('metrics must be an object of numbers.');
  for (const [name, value] of Object.entries<unknown>({ ...metrics })) {
    if (!names.includes(name)) fail(`metrics.${name} is not a known metric; supported: ${names.join(', ')}.`);
    if (value !== undefined && !Number.isFinite(value)) fail(`metrics.${name} must be a finite number.`);
  }
}

export function checkWebhook(
  fail: Fail,
  { url, secret }: { url?: string | undefined; secret?: string | undefined },
): void {
  if (url === undefined || !/^https?:\/\//i.test(url) || parseUrl(url) === undefined)
    fail('webhook.url must be an http or https address.');
  if (secret === undefined || secret.trim() === '' || /[*•…]{3,}/u.test(secret)) {
    fail('webhook.secret must be a complete secret: deliveries are signed with it.');
  }
}
