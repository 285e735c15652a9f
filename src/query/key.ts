import type * as z from 'zod/mini';
import { ownFields, toWire } from '../schema/wire.js';

/** The key of a query. It is plain data, has no access key, and starts with `'social-publishing'`, the resource and the method. */
export type QueryKey = readonly ['social-publishing', resource: string, method: string, ...input: readonly unknown[]];

/**
 * Returns a query as plain data for a key: dates as the strings that the client sends, without fields that are `undefined`.
 * It does not check the query: the call does.
 */
export function plainQuery(schema: z.core.$ZodType, query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query;
  const written = toWire(schema, ownFields(schema, query)) as object;
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, value]: [string, unknown]) =>
      value === undefined ? [] : [[name, plainValue(value)]],
    ),
  );
}

/** TanStack Query writes keys as JSON, which throws for a bigint. A number is stable, and the call refuses the value anyway. */
function plainValue(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
