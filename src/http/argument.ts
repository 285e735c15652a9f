import type * as z from 'zod/mini';
import type { Issue } from '../core/errors.js';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { safeParse } from '../schema/parse.js';
import { toWire } from '../schema/wire.js';
import { optionNames } from './call-options.js';

/**
 * Checks a typed argument against its schema and gives it as it is sent.
 * @param extra the option through which other fields go
 * @param timezone a time zone that is sent beside it: then a date-time needs no offset
 */
export function checkInput(
  schema: z.core.$ZodType | undefined,
  value: object | undefined,
  extra: 'extraQuery' | 'extraBody',
  timezone: unknown,
  issues: Issue[],
): Record<string, unknown> {
  if (schema === undefined) return {};
  const wire = toWire(schema, value, (path) => {
    if (timezone === undefined) issues.push({ path, message: localTimeMessage(extra) });
  });
  const parsed = safeParse(schema, wire);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const hint = nearestFieldHint(schema, extra, optionNames);
  for (const issue of describeIssues(parsed.error.issues, hint)) issues.push(issue);
  return {};
}

function localTimeMessage(extra: 'extraQuery' | 'extraBody'): string {
  const or = extra === 'extraBody' ? ', or send extraBody.timezone' : '';
  return (
    "must say its offset, as '2026-03-01T09:00:00Z' or '2026-03-01T09:00:00+01:00': in which time zone the service reads " +
    `it without is not documented. Give the offset or a Date${or}`
  );
}
