import type * as z from 'zod/mini';

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

/** What a walk needs to know of a schema, worked out once: walking over schemas themselves is slow. */
interface Plan {
  /** The kind of the schema inside its wrappers. */
  readonly type: string;
  /** The format of a string. */
  readonly format: string | undefined;
  /** A `null` here reads as missing. */
  readonly dropsNull: boolean;
  /** The fields of an object. */
  readonly fields: readonly (readonly [string, Plan])[] | undefined;
  /** The items of an array, or the values of a record. */
  readonly items: Plan | undefined;
}

const plans = new WeakMap<Schema, Plan>();

function planOf(schema: Schema): Plan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const at = unwrap(schema);
  const def = definition(at.schema);
  const plan: Plan = {
    type: def.type,
    format: (def as { format?: string }).format,
    dropsNull: at.optional && !at.nullable && def.type !== 'unknown' && def.type !== 'any',
    fields:
      def.type === 'object'
        ? Object.entries(def.shape).map(([key, field]) => [key, planOf(field)] as const)
        : undefined,
    items: def.type === 'array' ? planOf(def.element) : def.type === 'record' ? planOf(def.valueType) : undefined,
  };
  plans.set(schema, plan);
  return plan;
}

type Path = (string | number)[];

/**
 * Rewrites a value along a plan: `leaf` is asked at every field that the schema knows, before its insides are looked at.
 * What comes back shares nothing that was changed with what went in, and is the same value where nothing was.
 * `path` is one array that grows and shrinks with the walk: a `leaf` that keeps it must copy it.
 */
function rewrite(
  plan: Plan,
  value: unknown,
  path: Path,
  leaf: (plan: Plan, value: unknown, path: Path) => unknown,
): unknown {
  const changed = leaf(plan, value, path);
  if (changed !== value || typeof value !== 'object' || value === null) return changed;
  if (Array.isArray(value)) {
    if (plan.type !== 'array' || plan.items === undefined) return value;
    const items: readonly unknown[] = value;
    let copy: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      path.push(index);
      const item = rewrite(plan.items, items[index], path, leaf);
      path.pop();
      if (item !== items[index]) (copy ??= [...items])[index] = item;
    }
    return copy ?? value;
  }
  const object = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  const visit = (key: string, field: Plan) => {
    path.push(key);
    const next = rewrite(field, object[key], path, leaf);
    path.pop();
    if (next === object[key]) return;
    copy ??= { ...object };
    if (next === undefined) Reflect.deleteProperty(copy, key);
    else copy[key] = next;
  };
  if (plan.fields !== undefined) {
    for (const [key, field] of plan.fields) if (object[key] !== undefined) visit(key, field);
  } else if (plan.type === 'record' && plan.items !== undefined && plan.items.type !== 'unknown') {
    for (const key of Object.keys(object)) visit(key, plan.items);
  }
  return copy ?? value;
}

/** Turns the `Date`s of a request into the strings that the API document shows: a date-time in UTC, or its UTC day. */
export function toWire(schema: Schema, value: unknown): unknown {
  return rewrite(planOf(schema), value, [], ({ format }, field) => {
    if (!(field instanceof Date) || Number.isNaN(field.getTime())) return field;
    if (format === 'datetime') return field.toISOString();
    return format === 'date' ? field.toISOString().slice(0, 10) : field;
  });
}

/**
 * Takes the `null`s of a reply for missing where the API document shows none, and tells of each. A `null` in a free-form
 * field stays.
 */
export function fromWire(schema: Schema, value: unknown, onDrift?: (drift: Drift) => void): unknown {
  return rewrite(planOf(schema), value, [], (plan, field, path) => {
    if (field !== null || !plan.dropsNull) return field;
    onDrift?.({ path: [...path], expected: plan.type, received: 'null' });
    return undefined;
  });
}
