import type * as z from 'zod/mini';
import type { Endpoint, ObjectSchema } from '../../core/endpoint.js';
import type { Issue } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { safeParse } from '../../schema/parse.js';
import { unwrap } from '../../schema/wire.js';
import { ErrorReply, invalidRequest } from '../handlers/error-reply.js';
import type { Call } from '../handlers/handler.js';
import { day } from '../service/time.js';
import type { IncomingRequest } from './incoming-request.js';

/** Reads a request along the schemas of its endpoint. What breaks them is an `ErrorReply`. */
export function readCall(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  request: IncomingRequest,
  now: number,
): Omit<Call<unknown, unknown>, 'listingLagMs'> {
  const issues: Issue[] = [];
  for (const [name, { minLength, maxLength }] of Object.entries(endpoint.params ?? {})) {
    const { length } = params[name] ?? '';
    if (length < (minLength ?? 0))
      issues.push({ path: [name], message: `must have at least ${String(minLength)} characters` });
    if (length > (maxLength ?? Infinity))
      issues.push({ path: [name], message: `must have at most ${String(maxLength)} characters` });
  }
  const query =
    endpoint.query === undefined
      ? undefined
      : readQuery(endpoint, endpoint.query(), request.url.searchParams, now, issues);
  const body = endpoint.body === undefined ? undefined : readBody(endpoint.body(), request.body, issues);
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    param(name) {
      const value = params[name];
      if (value === undefined) throw new Error(`${endpoint.route} has no path parameter ${name}.`);
      return value;
    },
    query: query?.known,
    extraQuery: (query?.extra ?? {}) as Record<string, string>,
    body: body?.known,
    extraBody: body?.extra ?? {},
  };
}

interface Fields {
  readonly known: Record<string, unknown>;
  readonly extra: Record<string, unknown>;
}

/** Reads a query string along the schema: numbers, arrays, and `null` where the API document gives it a meaning. */
function readQuery(
  endpoint: Endpoint,
  schema: ObjectSchema,
  search: URLSearchParams,
  now: number,
  issues: Issue[],
): Fields {
  const known: Record<string, unknown> = { ...endpoint.defaults };
  const extra: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field === undefined) {
      extra[name] = values[0];
    } else {
      known[name] = readParameter(field, values);
      if (Array.isArray(known[name]) || values.length === 1) continue;
      issues.push({ path: [name], message: 'must be given once' });
    }
  }
  // The range of a query without an end is checked against the emulator's day, not the computer's.
  const checked = { ...known };
  for (const [from, to] of openRanges) if (checked[from] !== undefined) checked[to] ??= day(now);
  check(schema, checked, issues);
  return { known, extra };
}

const openRanges = [
  ['fromDate', 'toDate'],
  ['since', 'until'],
] as const;

function readParameter(field: z.core.$ZodType, values: readonly string[]): unknown {
  const { schema, nullable } = unwrap(field);
  const { type } = schema._zod.def;
  if (type === 'array') return values;
  const value = values[0] ?? '';
  if (nullable && value === 'null') return null;
  if (type === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  return value;
}

function readBody(schema: ObjectSchema, text: string, issues: Issue[]): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ErrorReply(400, 'The request body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ErrorReply(400, 'The request body is not a JSON object.');
  }
  check(schema, body, issues);
  const known: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    // Set as own properties whatever their names are, `__proto__` included.
    const to = Object.hasOwn(schema.shape, name) ? known : extra;
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { known, extra };
}

/** What is wrong with a request. Fields that the schema doesn't know are not: the API document doesn't show all of them. */
function check(schema: ObjectSchema, value: unknown, issues: Issue[]): void {
  const result = safeParse(schema, value);
  if (result.success) return;
  const wrong = result.error.issues.filter((issue) => issue.code !== 'unrecognized_keys' && !isOpen(issue));
  for (const issue of describeIssues(wrong)) issues.push(issue);
}

/** Values of these are shown by example only, so a request may try others. */
const openFields: readonly PropertyKey[] = ['postScope'];

function isOpen(issue: z.core.$ZodIssue): boolean {
  const [field] = issue.path;
  return issue.code === 'invalid_value' && issue.path.length === 1 && field !== undefined && openFields.includes(field);
}
