import { safeParse, type Parsed } from './parse.js';
import { definition, unwrap, type Schema } from './wire.js';

/** Whether a value is certain to pass its schema as it is. `false` says nothing: zod has the last word. */
type Passes = (value: unknown) => boolean;

const compiled = new WeakMap<Schema, Passes>();

/**
 * Checks an argument of a call, after `toWire`. What a schema takes as it is, is given back as it came, without a copy: a
 * compiled check sees that in a fraction of the time. Everything else goes to zod, which words the issues.
 */
export function checkArgument(schema: Schema, value: unknown): Parsed<unknown> {
  let passes = compiled.get(schema);
  if (passes === undefined) compiled.set(schema, (passes = compile(schema)));
  return passes(value) ? { success: true, data: value } : safeParse(schema, value);
}

const never: Passes = () => false;

function compile(schema: Schema): Passes {
  const { schema: inner, optional, nullable } = unwrap(schema);
  const passes = compileInner(inner);
  return (value) => (value === undefined ? optional : value === null ? nullable : passes(value));
}

function compileInner(schema: Schema): Passes {
  const def = definition(schema);
  const checks = (def.checks ?? []).map(compileCheck);
  const passes = checks.includes(never) ? never : compileType(schema);
  return checks.length === 0 ? passes : (value) => passes(value) && checks.every((check) => check(value));
}

function compileType(schema: Schema): Passes {
  const def = definition(schema);
  switch (def.type) {
    case 'string':
      return def.coerce === true ? never : stringOf(def as TextFormat);
    case 'number':
      if (def.coerce === true) return never;
      if ('format' in def) return def.format === 'safeint' ? Number.isSafeInteger : never;
      return Number.isFinite;
    case 'boolean':
      return def.coerce === true ? never : (value) => typeof value === 'boolean';
    case 'enum': {
      const values = new Set<unknown>(Object.values(def.entries));
      return (value) => values.has(value);
    }
    case 'array': {
      const passes = compile(def.element);
      // A place that is empty is `undefined` for zod, and `every` passes over it.
      return (value) => Array.isArray(value) && Array.from(value as unknown[]).every(passes);
    }
    case 'object': {
      const isStrict = def.catchall !== undefined && definition(def.catchall).type === 'never';
      return isStrict ? objectOf(def.shape) : never;
    }
    default:
      return never;
  }
}

/** What a format adds to the definition of a string. */
interface TextFormat {
  readonly format?: string;
  readonly pattern?: RegExp | undefined;
}

/** A text of any kind, or of one that is nothing but a pattern. */
function stringOf({ format, pattern }: TextFormat): Passes {
  if (format === undefined) return (value) => typeof value === 'string';
  if ((format !== 'datetime' && format !== 'date') || pattern === undefined) return never;
  return (value) => typeof value === 'string' && pattern.test(value);
}

function compileCheck(check: { readonly _zod: { readonly def: object } }): Passes {
  // Zod types the definition of each kind of check on its own.
  const def = check._zod.def as { check: string; value?: unknown; inclusive?: boolean; minimum?: number };
  const { value: bound, inclusive, minimum } = def;
  switch (def.check) {
    case 'greater_than':
      if (typeof bound !== 'number') return never;
      return (value) => (inclusive === true ? (value as number) >= bound : (value as number) > bound);
    case 'less_than':
      if (typeof bound !== 'number') return never;
      return (value) => (inclusive === true ? (value as number) <= bound : (value as number) < bound);
    case 'min_length':
      return minimum === undefined ? never : (value) => (value as string | unknown[]).length >= minimum;
    default:
      return never;
  }
}

/** An object of these fields and no others. */
function objectOf(shape: Readonly<Record<string, Schema>>): Passes {
  const fields = new Map(Object.entries(shape).map(([key, field]) => [key, compile(field)] as const));
  const required = Object.entries(shape).flatMap(([key, field]) => (unwrap(field).optional ? [] : [key]));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const object = value as Readonly<Record<string, unknown>>;
    for (const key in object) if (fields.get(key)?.(object[key]) !== true) return false;
    for (const key of required) if (!Object.hasOwn(object, key)) return false;
    return true;
  };
}
