import type * as z from 'zod/mini';
import { formatIssues } from '../../../core/errors.js';
import { parseJson } from '../../../core/json.js';
import { describeIssues, nearestFieldHint } from '../../../schema/issues.js';
import { safeParse } from '../../../schema/check.js';
import { Refusal } from './refusal.js';

export function read<T>(what: string, schema: z.ZodMiniType<T>, value: unknown): T {
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  const issues = describeIssues(result.error.issues, nearestFieldHint(schema));
  throw new Refusal(400, `The ${what} is not valid: ${formatIssues(issues)}`);
}

export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

/** Reads a query string: each parameter once, whole numbers as numbers. */
export function queryOf(search: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of search) {
    if (Object.hasOwn(query, name)) throw new Refusal(400, `The query contains ${name} more than once.`);
    query[name] = /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return query;
}
