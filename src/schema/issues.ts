import type * as z from 'zod/mini';
import type { ReadBody } from '../core/call/endpoint.js';
import { formatIssues, type Issue } from '../core/errors.js';
import { issueAt, likelyName } from '../core/call/options.js';
import { noText, safeParse } from './check.js';
import { fieldNamesAt, localTimeMessage, toWire } from './wire.js';

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
    readonly options?: ReadonlySet<string> | undefined;
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

/**
 * Returns a value that a schema accepts.
 * @param refuse makes the error of another value from its issues, in one text
 */
export function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, refuse: (issues: string) => Error): T {
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  throw refuse(formatIssues(describeIssues(result.error.issues, nearestFieldHint(schema))));
}

/** Completes the message about a field that is not documented. */
export type UnknownFieldHint = (path: readonly PropertyKey[], name: string) => string;

/**
 * Suggests the nearest documented name, the place of an option of the call, or the way around the check.
 * @param options the names of the call's options
 * @param place which argument the options are
 */
export function nearestFieldHint(
  schema: z.core.$ZodType,
  extra?: 'extraQuery' | 'extraBody',
  options?: ReadonlySet<string>,
  place = 'last',
): UnknownFieldHint {
  return (path, name) => {
    if (options?.has(name) === true) return `: it is an option of the call, pass it in the ${place} argument`;
    const near = likelyName(name, fieldNamesAt(schema, path));
    const hints = [
      ...(near === undefined ? [] : [`did you mean '${near}'?`]),
      ...(extra === undefined ? [] : [`${near === undefined ? 'send' : 'If not, send'} it through ${extra}`]),
    ];
    return hints.length === 0 ? '' : `; ${hints.join(' ')}`;
  };
}

/**
 * Describes what is wrong with a value and what is allowed, without the value itself. Each message makes sense alone.
 * @param root the subject of messages about the value as a whole
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  hint: UnknownFieldHint = () => '',
  root = 'the argument',
): Issue[] {
  // If an object is of another kind, its schema reports that. Messages about its fields would not help.
  const others = new Set(issues.filter(isOfWholeObject).map(({ path }) => path.join()));
  const isNews = (issue: z.core.$ZodIssue) => !others.has(issue.path.slice(0, -1).join());
  return issues.filter(isNews).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys' && issue.message === noText)
      return issue.keys.map((key) => issueAt([...path, key], `is not a documented field${hint(issue.path, key)}`));
    return [issueAt(path, describeIssue(issue), root)];
  });
}

function isOfWholeObject({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'unrecognized_keys' && message !== noText;
}

/** Completes the sentence that starts with the name of the field. */
function describeIssue(issue: z.core.$ZodIssue): string {
  // The schema has a custom message.
  if (issue.message !== noText) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(typeNames[issue.expected] ?? issue.expected)}`;
    case 'invalid_value': {
      const values = issue.values.map((value) => `'${String(value)}'`).join(', ');
      return issue.values.length > 1 ? `must be one of ${values}` : `must be ${values}`;
    }
    case 'too_small':
      return describeBound('at least', issue.minimum, issue.origin);
    case 'too_big':
      return describeBound('at most', issue.maximum, issue.origin);
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? issue.format}`;
    default:
      return 'is invalid';
  }
}

const typeNames: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

const formatNames: Readonly<Record<string, string>> = { url: 'a URL' };

/** The parts that a bound counts, by the kind of the value. */
const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function describeBound(bound: 'at least' | 'at most', limit: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${bound} ${String(limit)}`;
  return `must have ${bound} ${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
