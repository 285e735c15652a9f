import { issueAt } from '../../core/call/options.js';
import * as z from 'zod/mini';
import type { Endpoint, ObjectSchema } from '../../core/call/endpoint.js';
import type { Issue } from '../../core/errors.js';
import { cleanJson } from '../../core/json.js';
import { describeIssues } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import { unwrap } from '../../schema/wire.js';
import { ErrorReply, invalidRequest, type HandlerCall, defaultRanges } from '../handlers/handler.js';
import { day, dayMs } from '../state/time.js';
import type { IncomingRequest } from './request-record.js';

/**
 * Reads a request with the schemas of its endpoint. An invalid request throws an `ErrorReply`.
 * @param siblingQuery the query parameters of another endpoint of the same operation: checked, but without effect
 */
export function readCall(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  request: IncomingRequest,
  now: number,
  siblingQuery: ObjectSchema['shape'],
): Omit<HandlerCall<unknown, unknown>, 'listingLagMs'> {
  const issues: Issue[] = [];
  for (const [name, { minLength, maxLength }] of Object.entries(endpoint.params ?? {})) {
    const { length } = params[name] ?? '';
    if (length < (minLength ?? 0)) issues.push(issueAt([name], `must have at least ${String(minLength)} characters`));
    if (length > (maxLength ?? Infinity))
      issues.push(issueAt([name], `must have at most ${String(maxLength)} characters`));
  }
  const schema = endpoint.query?.();
  const query = schema && readQuery(endpoint, schema, request.url.searchParams, siblingQuery, issues);
  if (schema !== undefined) add(issues, check(schema, withRanges(query ?? {}, now)));
  const body = endpoint.body && readBody(endpoint.body(), request.body, issues);
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    param(name) {
      const value = params[name];
      if (value === undefined) throw new Error(`${endpoint.route} has no path parameter ${name}.`);
      return value;
    },
    query,
    body: body?.known,
    extraBody: body?.extra ?? {},
  };
}

/**
 * Reads the documented parameters of a query string with the schema: numbers, arrays, and `null` if the API document
 * gives it a meaning.
 */
function readQuery(
  endpoint: Endpoint,
  schema: ObjectSchema,
  search: URLSearchParams,
  siblingQuery: ObjectSchema['shape'],
  issues: Issue[],
): Record<string, unknown> {
  const query: Record<string, unknown> = { ...endpoint.defaults };
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const own = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const field = own ?? (Object.hasOwn(siblingQuery, name) ? siblingQuery[name] : undefined);
    if (field === undefined) {
      add(issues, misspelt(name, [...Object.keys(schema.shape), ...Object.keys(siblingQuery)]));
      continue;
    }
    const value = readParameter(field, values);
    if (!Array.isArray(value) && values.length > 1) issues.push(issueAt([name], 'must occur once'));
    if (own === undefined) add(issues, check(z.looseObject({ [name]: field }), { [name]: value }));
    else query[name] = value;
  }
  return query;
}

/** Another spelling of a documented parameter would be ignored, and the reply would contain everything. */
function misspelt(name: string, known: readonly string[]): Issue[] {
  const meant = known.find((other) => plain(other) === plain(name));
  return meant === undefined ? [] : [issueAt([name], `is not a parameter: write ${meant}, once for each value`)];
}

/** A name without case, brackets, separators and the ending of a plural: `platform` for `platforms[0]`. */
function plain(name: string): string {
  return name
    .replace(/\[[^]*/, '')
    .replace(/[-_.]/g, '')
    .toLowerCase()
    .replace(/s$/, '');
}

/**
 * Fills in the ends of date ranges in a query, so they are checked against the emulator's day instead of the
 * computer's.
 */
function withRanges(query: Readonly<Record<string, unknown>>, now: number): Record<string, unknown> {
  const filled = { ...query };
  for (const { from, to, days } of defaultRanges) {
    if (filled[from] === undefined && filled[to] === undefined) continue;
    filled[from] ??= day(now - days * dayMs);
    filled[to] ??= day(now);
  }
  return filled;
}

/** Adds any number of issues. A spread into one call could overflow the stack. */
function add(issues: Issue[], more: readonly Issue[]): void {
  for (const issue of more) issues.push(issue);
}

function readParameter(field: z.core.$ZodType, values: readonly string[]): unknown {
  const { schema, nullable } = unwrap(field);
  const { type } = schema._zod.def;
  if (type === 'array') return values;
  const value = values[0] ?? '';
  if (nullable && value === 'null') return null;
  if (type === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  return value;
}

/** Replies nest a request's body deeper. They must stay within the depth that clients accept. */
const depthInReplies = 10;

function readBody(schema: ObjectSchema, text: string, issues: Issue[]) {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ErrorReply(400, 'The request body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ErrorReply(400, 'The request body is not a JSON object.');
  }
  try {
    cleanJson(body, depthInReplies);
  } catch {
    throw new ErrorReply(400, 'The request body is too deeply nested.');
  }
  add(issues, check(schema, body));
  const known: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const to = Object.hasOwn(schema.shape, name) ? known : extra;
    to[name] = value;
  }
  return { known, extra };
}

/** Returns the issues of a request. Unknown fields are allowed, because the API document does not show all fields. */
function check(schema: ObjectSchema, value: unknown): Issue[] {
  const result = safeParse(schema, value);
  if (result.success) return [];
  return describeIssues(result.error.issues.filter((issue) => issue.code !== 'unrecognized_keys' && !isOpen(issue)));
}

/** The document shows only examples of these values, so a request may use others. */
const openFields: readonly PropertyKey[] = ['postScope'];

function isOpen(issue: z.core.$ZodIssue): boolean {
  const [field] = issue.path;
  return issue.code === 'invalid_value' && issue.path.length === 1 && field !== undefined && openFields.includes(field);
}
