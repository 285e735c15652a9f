import type * as z from 'zod/mini';
import type { ReadBody } from '../core/call/endpoint.js';
import type { Issue } from '../core/errors.js';
import { issueAt } from '../core/call/options.js';
import { safeParse } from './check.js';
import { describeIssues, nearestFieldHint } from './issues.js';
import { localTimeMessage, toWire } from './wire.js';

/**
 * Reads a typed query or body of a call.
 * @param other `extra`: the option that accepts other fields; `timezone`: the body's time zone, which allows date-times
 * without an offset; `options`: the names of the call's options; `place`: which argument these are
 */
export function readArgument(
  schema: z.core.$ZodType,
  value: unknown,
  other: {
    readonly extra: 'extraQuery' | 'extraBody';
    readonly timezone?: unknown;
    readonly options: ReadonlySet<string>;
    readonly place?: string | undefined;
  },
): ReadBody {
  const localTimes: Issue[] = [];
  const wire = toWire(schema, value, (path) => {
    if (other.timezone === undefined) localTimes.push(issueAt(path, localTimeMessage(other.extra)));
  });
  const parsed = safeParse(schema, wire);
  if (parsed.success) return { wire: parsed.data, issues: localTimes };
  const hint = nearestFieldHint(schema, other.extra, other.options, other.place);
  return { wire, issues: [...describeIssues(parsed.error.issues, hint), ...localTimes] };
}
