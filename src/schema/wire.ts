import type { Issue } from '../core/errors.js';
import { isFields } from '../core/json.js';
import type * as z from 'zod/mini';
import { epochOf } from '../model/instant.js';

export type Schema = z.core.$ZodType;
/** Returns the definition of a schema. */
// zod types the definition of each kind of schema separately; code for all kinds needs their union.
export const definition = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

/** The schema inside its optional and nullable wrappers. */
export function unwrap(schema: Schema) {
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

type SchemaFields = readonly (readonly [string, Schema])[];

/** The fields of an object. `undefined`: the schema describes another kind of value. */
function fieldsOf(schema: Schema): SchemaFields | undefined {
  const def = definition(unwrap(schema).schema);
  return def.type === 'object' ? Object.entries(def.shape) : undefined;
}

/** The items of an array. `undefined`: the schema describes another kind of value. */
function itemsOf(schema: Schema): Schema | undefined {
  const def = definition(unwrap(schema).schema);
  return def.type === 'array' ? def.element : undefined;
}

/**
 * Converts the `Date`s of a request to the documented strings: a date-time in UTC, or its UTC day. The result shares no
 * changed part with the input, and is the same value if nothing changed.
 * @param onLocalTime called for each date-time without an offset
 */
export function toWire(schema: Schema, value: unknown, onLocalTime?: OnLocalTime, path: Issue['path'] = []): unknown {
  // Only schemas of texts have a format.
  const { format } = definition(unwrap(schema).schema) as { format?: string };
  if (format === 'datetime' || format === 'date') return writeTime(format, value, path, onLocalTime);
  const items = itemsOf(schema);
  if (items !== undefined && Array.isArray(value)) {
    const written = value.map((item, index) => toWire(items, item, onLocalTime, [...path, index]));
    return written.some((item, index) => item !== value[index]) ? written : value;
  }
  const fields = fieldsOf(schema);
  if (fields === undefined || !isFields(value)) return value;
  let copy = readInherited(fields, value);
  for (const [key, field] of fields) {
    const before = (copy ?? value)[key];
    const written = toWire(field, before, onLocalTime, [...path, key]);
    if (written !== before) (copy ??= { ...value })[key] = written;
  }
  return copy ?? value;
}

type OnLocalTime = ((path: Issue['path']) => void) | undefined;

/** Completes the sentence about a date-time without an offset. */
export function localTimeMessage(extra: 'extraQuery' | 'extraBody'): string {
  const or =
    extra === 'extraBody' ? 'the result of zonedTime(), or extraBody.timezone' : 'or the result of zonedTime()';
  return (
    "must have an offset, as '2026-03-01T09:00:00Z' or '2026-03-01T09:00:00+01:00': the API document doesn't say in which " +
    `time zone the service reads a time without one. Pass the offset, a Date, ${or}`
  );
}

function writeTime(
  format: 'datetime' | 'date',
  value: unknown,
  path: Issue['path'],
  onLocalTime: OnLocalTime,
): unknown {
  if (typeof value === 'string' && format === 'datetime' && localTime.test(value)) onLocalTime?.(path);
  const instant = epochOf(value);
  if (instant === undefined) return value;
  const text = new Date(instant).toISOString();
  return format === 'datetime' ? text : text.slice(0, 10);
}

const localTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/**
 * Returns the documented fields of an instance if some are on its prototype, for example as getters. Its other fields
 * are ignored. `undefined`: all fields are own fields.
 */
function readInherited(
  fields: SchemaFields,
  object: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  if (Object.getPrototypeOf(object) === Object.prototype) return undefined;
  if (!fields.some(([key]) => key in object && !Object.hasOwn(object, key))) return undefined;
  return Object.fromEntries(fields.filter(([key]) => key in object).map(([key]) => [key, object[key]]));
}

/**
 * Returns an argument as an object that can be copied field by field: an instance may have documented fields on its
 * prototype.
 */
export function ownFields<T extends object>(schema: Schema, value: T): T {
  const fields = fieldsOf(schema);
  // A caller without types may pass anything. The copy has the documented fields of the value.
  return isFields(value) && fields !== undefined ? ((readInherited(fields, value) ?? value) as T) : value;
}

export function fieldNamesAt(schema: Schema, path: readonly PropertyKey[]): string[] {
  let at: Schema | undefined = schema;
  for (const part of path) at = at && (itemsOf(at) ?? fieldsOf(at)?.find(([key]) => key === part)?.[1]);
  return (at && fieldsOf(at))?.map(([key]) => key) ?? [];
}
