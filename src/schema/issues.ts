import type * as z from 'zod/mini';
import type { Issue } from '../core/errors.js';
import { nearestName } from '../core/names.js';
import { noText } from './parse.js';
import { fieldNamesAt } from './wire.js';

/** What to say of a field that is not documented. */
export type UnknownFieldHint = (path: readonly PropertyKey[], name: string) => string;

/**
 * The documented name that is near, the place where an option of the call belongs, or the way around the check.
 * @param options the names of the call's options
 */
export function nearestFieldHint(
  schema: z.core.$ZodType,
  extra?: 'extraQuery' | 'extraBody',
  options?: ReadonlySet<string>,
): UnknownFieldHint {
  return (path, name) => {
    if (options?.has(name) === true) return ': it is an option of the call and goes into the last argument';
    const near = nearestName(name, fieldNamesAt(schema, path));
    if (near !== undefined) return `; did you mean '${near}'?`;
    return extra === undefined ? '' : `; send it through ${extra}`;
  };
}

/** Says what is wrong with a value and what is allowed, without quoting it. zod/mini itself has no texts. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], hint: UnknownFieldHint = () => ''): Issue[] {
  // Of an object that is something else altogether, its schema says so: what is wrong in it is no news then.
  const others = new Set(issues.filter(isOfWholeObject).map(({ path }) => path.join()));
  const isNews = (issue: z.core.$ZodIssue) => others.size === 0 || !others.has(issue.path.slice(0, -1).join());
  return issues.filter(isNews).flatMap((issue) => describeIssue(issue, hint));
}

function isOfWholeObject({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'unrecognized_keys' && message !== noText;
}

function describeIssue(issue: z.core.$ZodIssue, hint: UnknownFieldHint): Issue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const at = (message: string): Issue[] => [{ path, message }];
  // A schema that has a better text gave it itself.
  if (issue.message !== noText) return at(issue.message);
  switch (issue.code) {
    case 'invalid_type':
      return at(`must be ${article(typeNames[issue.expected] ?? issue.expected)}`);
    case 'invalid_value':
      return at(
        `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => `'${String(value)}'`).join(', ')}`,
      );
    case 'too_small':
      return at(
        issue.origin === 'string'
          ? `must have at least ${String(issue.minimum)} character${issue.minimum === 1 ? '' : 's'}`
          : `must be at least ${String(issue.minimum)}`,
      );
    case 'too_big':
      return at(
        issue.origin === 'string'
          ? `must have at most ${String(issue.maximum)} characters`
          : `must be at most ${String(issue.maximum)}`,
      );
    case 'invalid_format':
      return at(`must be ${formatNames[issue.format] ?? issue.format}`);
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `is not a documented field${hint(issue.path, key)}`,
      }));
    default:
      return at(issue.message);
  }
}

const typeNames: Readonly<Record<string, string>> = { int: 'integer', record: 'object', nan: 'number' };

const formatNames: Readonly<Record<string, string>> = { url: 'a URL' };

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
