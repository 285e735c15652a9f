import type * as z from 'zod/mini';

export type Schema = z.core.$ZodType;
/** What a schema is made of. */
// Zod types the definition of each kind of schema on its own; walking over all kinds needs their union.
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

/** What a walk needs to know of a schema, worked out once: walking over schemas themselves is slow. */
interface Plan {
  /** The format of a string. */
  readonly format: string | undefined;
  /** The fields of an object. */
  readonly fields: readonly (readonly [string, Plan])[] | undefined;
  /** The items of an array. */
  readonly items: Plan | undefined;
}

const plans = new WeakMap<Schema, Plan>();

function planOf(schema: Schema): Plan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const def = definition(unwrap(schema).schema);
  const plan: Plan = {
    format: (def as { format?: string }).format,
    fields:
      def.type === 'object'
        ? Object.entries(def.shape).map(([key, field]) => [key, planOf(field)] as const)
        : undefined,
    items: def.type === 'array' ? planOf(def.element) : undefined,
  };
  plans.set(schema, plan);
  return plan;
}

/** Turns the `Date`s of a request into the strings that the API document shows: a date-time in UTC, or its UTC day. */
export function toWire(schema: Schema, value: unknown): unknown {
  return write(planOf(schema), value);
}

/** What comes back shares nothing that was changed with what went in, and is the same value where nothing was. */
function write(plan: Plan, value: unknown): unknown {
  if (value instanceof Date) return writeDate(plan, value);
  if (Array.isArray(value)) {
    const { items } = plan;
    if (items === undefined) return value;
    const written = value.map((item) => write(items, item));
    return written.some((item, index) => item !== value[index]) ? written : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of plan.fields ?? []) {
    const written = write(field, object[key]);
    if (written !== object[key]) (copy ??= { ...object })[key] = written;
  }
  return copy ?? value;
}

function writeDate({ format }: Plan, date: Date): unknown {
  if (Number.isNaN(date.getTime())) return date;
  if (format === 'datetime') return date.toISOString();
  return format === 'date' ? date.toISOString().slice(0, 10) : date;
}
