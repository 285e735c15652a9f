import type * as z from 'zod/mini';
import type { Issue } from './errors.js';

/** A place in a reply that differs from the API document, though it could be read. */
export interface Drift {
  readonly path: readonly (string | number)[];
  /** What the API document shows there. */
  readonly expected: string;
  /** What came. */
  readonly received: string;
}

type Schema = z.core.$ZodType;
// Zod types the definition of each kind of schema on its own; walking over all kinds needs their union.
const definition = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

interface Unwrapped {
  readonly schema: Schema;
  readonly optional: boolean;
  readonly nullable: boolean;
}

/** The schema inside its optional and nullable wrappers. */
export function unwrap(schema: Schema): Unwrapped {
  let inner = schema;
  let optional = false;
  let nullable = false;
  for (;;) {
    const def = definition(inner);
    if (def.type === 'optional') optional = true;
    else if (def.type === 'nullable') nullable = true;
    else return { schema: inner, optional, nullable };
    inner = def.innerType;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Rewrites a value along its schema: `leaf` is asked at every field that the schema knows, before its insides are looked
 * at. What comes back shares nothing that was changed with what went in, and is the same value where nothing was.
 */
function rewrite(
  schema: Schema,
  value: unknown,
  path: readonly (string | number)[],
  leaf: (at: Unwrapped, value: unknown, path: readonly (string | number)[]) => unknown,
): unknown {
  const at = unwrap(schema);
  const changed = leaf(at, value, path);
  if (changed !== value) return changed;
  const def = definition(at.schema);
  if (def.type === 'array' && Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i += 1) {
      const item: unknown = rewrite(def.element, value[i], [...path, i], leaf);
      if (item !== value[i]) (copy ??= [...(value as unknown[])])[i] = item;
    }
    return copy ?? value;
  }
  if (!isObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  const set = (key: string, field: Schema) => {
    if (!Object.hasOwn(value, key)) return;
    const next = rewrite(field, value[key], [...path, key], leaf);
    if (next === value[key]) return;
    copy ??= { ...value };
    if (next === undefined) Reflect.deleteProperty(copy, key);
    else copy[key] = next;
  };
  if (def.type === 'object') for (const key of Object.keys(def.shape)) set(key, def.shape[key] as Schema);
  else if (def.type === 'record') for (const key of Object.keys(value)) set(key, def.valueType);
  return copy ?? value;
}

/** Turns the `Date`s of a request into the strings that the API document shows: a date-time in UTC, or its UTC day. */
export function toWire(schema: Schema, value: unknown): unknown {
  return rewrite(schema, value, [], (at, field) => {
    if (!(field instanceof Date) || Number.isNaN(field.getTime())) return field;
    const format = (definition(at.schema) as { format?: string }).format;
    if (format === 'datetime') return field.toISOString();
    return format === 'date' ? field.toISOString().slice(0, 10) : field;
  });
}

/**
 * Takes the `null`s of a reply for missing where the API document shows none, and tells of each. A `null` in a free-form
 * field stays.
 */
export function fromWire(schema: Schema, value: unknown, onDrift?: (drift: Drift) => void): unknown {
  return rewrite(schema, value, [], (at, field, path) => {
    if (field !== null || !at.optional || at.nullable) return field;
    const { type } = definition(at.schema);
    if (type === 'unknown' || type === 'any') return field;
    onDrift?.({ path, expected: type, received: 'null' });
    return undefined;
  });
}

/** Says what is wrong with a value and what is allowed, without quoting it. zod/mini itself has no texts. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], unknownFieldHint = ''): Issue[] {
  return issues.flatMap((issue) => describeIssue(issue, unknownFieldHint));
}

function describeIssue(issue: z.core.$ZodIssue, unknownFieldHint: string): Issue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const at = (message: string): Issue[] => [{ path, message }];
  switch (issue.code) {
    case 'invalid_type':
      return at(`must be ${article(typeNames[issue.expected] ?? issue.expected)}`);
    case 'invalid_value':
      return at(`must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => `'${String(value)}'`).join(', ')}`);
    case 'too_small':
      return at(issue.origin === 'string' ? `must have at least ${String(issue.minimum)} characters` : `must be at least ${String(issue.minimum)}`);
    case 'too_big':
      return at(issue.origin === 'string' ? `must have at most ${String(issue.maximum)} characters` : `must be at most ${String(issue.maximum)}`);
    case 'invalid_format':
      return at(`must be ${formatNames[issue.format] ?? issue.format}`);
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: `is not a documented field${unknownFieldHint}` }));
    default:
      return at(issue.message);
  }
}

const typeNames: Readonly<Record<string, string>> = { int: 'integer', record: 'object', nan: 'number' };

const formatNames: Readonly<Record<string, string>> = {
  datetime: "an ISO 8601 date-time string such as '2026-03-01T09:00:00Z', or a Date",
  date: "a calendar day as 'YYYY-MM-DD', or a Date",
  url: 'a URL',
};

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
