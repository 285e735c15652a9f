import { isFields } from '../core/json.js';
import type * as z from 'zod/mini';
import { epochOf } from '../model/instant.js';

export type Schema = z.core.$ZodType;
/** Returns the definition of a schema. */
// zod types the definition of each kind of schema separately; code for all kinds needs their union.
export const definition = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

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

/** The facts about a schema that conversion needs, computed once: reading schemas on each call is slow. */
interface WirePlan {
  readonly format: string | undefined;
  /** The fields of an object. */
  readonly fields: readonly (readonly [string, WirePlan])[] | undefined;
  /** The fields that may need conversion. */
  readonly walked: readonly (readonly [string, WirePlan])[];
  /** The items of an array. */
  readonly items: WirePlan | undefined;
}

const plans = new WeakMap<Schema, WirePlan>();

function planOf(schema: Schema): WirePlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const def = definition(unwrap(schema).schema);
  const fields =
    def.type === 'object' ? Object.entries(def.shape).map(([key, field]) => [key, planOf(field)] as const) : undefined;
  const plan: WirePlan = {
    // Only schemas of texts have it.
    format: (def as { format?: string }).format,
    fields,
    walked: fields?.filter(([, field]) => isWalked(field)) ?? [],
    items: def.type === 'array' ? planOf(def.element) : undefined,
  };
  plans.set(schema, plan);
  return plan;
}

/** Whether a plan needs conversion: for a time, or an object, which may be an instance. */
function isWalked({ format, fields, items }: WirePlan): boolean {
  return format === 'datetime' || format === 'date' || fields !== undefined || (items !== undefined && isWalked(items));
}

/**
 * Converts the `Date`s of a request to the documented strings: a date-time in UTC, or its UTC day. The result shares no
 * changed part with the input, and is the same value if nothing changed.
 * @param onLocalTime called for each date-time without an offset
 */
export function toWire(
  schema: Schema,
  value: unknown,
  onLocalTime?: (path: readonly (string | number)[]) => void,
): unknown {
  return write(planOf(schema), value, [], onLocalTime);
}

/** Completes the sentence about a date-time without an offset. */
export function localTimeMessage(extra: 'extraQuery' | 'extraBody'): string {
  const or =
    extra === 'extraBody' ? 'the result of zonedTime(), or extraBody.timezone' : 'or the result of zonedTime()';
  return (
    "must have an offset, as '2026-03-01T09:00:00Z' or '2026-03-01T09:00:00+01:00': the API document doesn't say in which " +
    `time zone the service reads a time without one. Pass the offset, a Date, ${or}`
  );
}

type OnLocalTime = ((path: readonly (string | number)[]) => void) | undefined;

/** Converts a value. `path` is one array that grows and shrinks during the conversion. */
function write(plan: WirePlan, value: unknown, path: (string | number)[], onLocalTime: OnLocalTime): unknown {
  if (value === undefined) return undefined;
  if (plan.format === 'datetime' || plan.format === 'date') return writeTime(plan.format, value, path, onLocalTime);
  const at = (part: string | number, inner: WirePlan, field: unknown) => {
    path.push(part);
    const written = write(inner, field, path, onLocalTime);
    path.pop();
    return written;
  };
  if (Array.isArray(value)) {
    const { items } = plan;
    if (items === undefined) return value;
    const written = value.map((item, index) => at(index, items, item));
    return written.some((item, index) => item !== value[index]) ? written : value;
  }
  if (!isFields(value) || plan.fields === undefined) return value;
  let copy = readInherited(plan.fields, value);
  for (const [key, field] of plan.walked) {
    const before = (copy ?? value)[key];
    const written = at(key, field, before);
    if (written !== before) (copy ??= { ...value })[key] = written;
  }
  return copy ?? value;
}

function writeTime(
  format: 'datetime' | 'date',
  value: unknown,
  path: readonly (string | number)[],
  onLocalTime: OnLocalTime,
): unknown {
  if (typeof value === 'string' && format === 'datetime' && localTime.test(value)) onLocalTime?.([...path]);
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
  fields: NonNullable<WirePlan['fields']>,
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
export function ownFields(schema: Schema, value: object): object {
  const { fields } = planOf(schema);
  // A caller without types may pass anything.
  return isFields(value) && fields !== undefined ? (readInherited(fields, value) ?? value) : value;
}

export function fieldNamesAt(schema: Schema, path: readonly PropertyKey[]): string[] {
  let plan: WirePlan | undefined = planOf(schema);
  for (const part of path) {
    plan = plan?.fields?.find(([key]) => key === part)?.[1] ?? plan?.items;
  }
  return plan?.fields?.map(([key]) => key) ?? [];
}
