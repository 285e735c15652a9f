import type * as z from 'zod/mini';
import type { Issue } from '../core/errors.js';
import { describeIssues, nearestFieldHint, type UnknownFieldHint } from '../schema/issues.js';
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
  for (const issue of describeIssues(parsed.error.issues, hintFor(schema, extra))) issues.push(issue);
  return {};
}

function localTimeMessage(extra: 'extraQuery' | 'extraBody'): string {
  const or = extra === 'extraBody' ? ', or send extraBody.timezone' : '';
  return (
    "must say its offset, as '2026-03-01T09:00:00Z' or '2026-03-01T09:00:00+01:00': in which time zone the service reads " +
    `it without is not documented. Give the offset or a Date${or}`
  );
}

/** The documented name that is near, the place where an option of the call belongs, or the way around the check. */
function hintFor(schema: z.core.$ZodType, extra: 'extraQuery' | 'extraBody'): UnknownFieldHint {
  const nearest = nearestFieldHint(schema, extra);
  return (path, name) =>
    optionNames.has(name) ? ': it is an option of the call and goes into the last argument' : nearest(path, name);
}
