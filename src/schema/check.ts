import * as z from 'zod/mini';
import { cleanJson, isFields } from '../core/json.js';
import { definition, unwrap, type Schema } from './wire.js';

export type Parsed<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly z.core.$ZodIssue[] } };

/** The default text of zod/mini, for issues without a custom text. */
export const noText = 'Invalid input';

/** Ignores the locale and the messages that an application sets for its own schemas: all copies of zod share them. */
const ownTexts = { error: () => noText };

/**
 * Runs zod's `safeParse`. A value with more than about 100,000 issues gets one issue: zod spreads its issues over the
 * arguments of a call, which overflows the stack.
 */
export function safeParse<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.core.output<Schema>> {
  try {
    return z.safeParse(schema, value, ownTexts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'has more mistakes than can be listed';
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } };
  }
}

/** A difference between a reply and the API document that did not prevent reading the reply. */
export interface Drift {
  /** The path of the field, with `*` for any index of an array. */
  readonly path: string[];
  /** The documented type. */
  readonly expected: string;
  /** The received type. */
  readonly received: string;
}

interface CheckedReply {
  passed: boolean;
  /** Their paths are relative to the current position. */
  readonly drifts: Drift[] | undefined;
}

/**
 * Checks a value and its children. Returns it without `__proto__` keys and undocumented `null`s: the same object if it
 * contained none. Creating a new object is four times as fast as deleting a field, and deleting makes the object slow.
 */
type ReplyCheck = (value: unknown, walk: CheckedReply) => unknown;

interface Field {
  readonly check: ReplyCheck;
  readonly type: string;
  /** Whether the field is required. */
  readonly required: boolean;
  /** Whether a `null` here counts as missing. */
  readonly dropsNull: boolean;
}

const compiled = new WeakMap<Schema, ReplyCheck>();

/**
 * Checks a parsed reply in place, and returns the same result as zod. Undocumented `null`s count as missing and are
 * reported; in a free-form field they stay. If the compiled check refuses a value, zod decides and writes the issues.
 *
 * @throws SyntaxError for JSON that is too deep
 */
export function checkInPlace<Output>(schema: z.ZodMiniType<Output>, value: unknown, drifts?: Drift[]): Parsed<Output> {
  let check = compiled.get(schema);
  if (check === undefined) compiled.set(schema, (check = compile(schema, 0)));
  const walk: CheckedReply = { passed: true, drifts };
  const read = check(value, walk);
  // The compiled check accepts only values that the schema accepts.
  if (walk.passed) return { success: true, data: read as Output };
  cleanJson(read, 0);
  return safeParse(schema, read);
}

/** Compiles a schema once, because reading schemas on each check is slow. Uncompiled kinds go to zod. */
function compile(schema: Schema, depth: number): ReplyCheck {
  const { schema: inner, nullable } = unwrap(schema);
  const check = compileInner(inner, depth);
  return nullable ? orNull(check) : check;
}

function orNull(check: ReplyCheck): ReplyCheck {
  return (value, walk) => (value === null ? null : check(value, walk));
}

function compileInner(schema: Schema, depth: number): ReplyCheck {
  const def = definition(schema);
  if (isIdSchema(def)) return isId;
  if (def.checks !== undefined && def.checks.length > 0) return askZod;
  switch (def.type) {
    case 'string':
      return 'format' in def ? askZod : isString;
    case 'number':
      return 'format' in def ? askZod : isNumber;
    case 'boolean':
      return isBoolean;
    case 'unknown':
      return (value) => {
        cleanJson(value, depth);
        return value;
      };
    case 'array':
      return arrayOf(compile(def.element, depth + 1));
    case 'object': {
      // Without a catchall, unknown fields would have to be removed.
      if (def.catchall === undefined) return askZod;
      const fields = Object.entries(def.shape).map(([key, field]) => [key, compileField(field, depth + 1)] as const);
      const rest = definition(def.catchall).type === 'unknown' ? undefined : compileField(def.catchall, depth + 1);
      return objectOf(new Map(fields), rest, depth + 1);
    }
    default:
      return askZod;
  }
}

/** The ID of a created resource, which must not be empty: see `id` in fields.ts. */
function isIdSchema({ type, checks }: ReturnType<typeof definition>): boolean {
  if (type !== 'string' || checks?.length !== 1) return false;
  // A check of zod has its definition here. Only a minimum has `minimum`.
  const { check, minimum } = checks[0]?._zod.def as { check?: string; minimum?: number };
  return check === 'min_length' && minimum === 1;
}

function compileField(schema: Schema, depth: number): Field {
  const { schema: inner, optional, nullable } = unwrap(schema);
  const { type } = definition(inner);
  const absent = z.safeParse(schema, undefined);
  return {
    check: compile(schema, depth),
    type,
    required: !absent.success || absent.data !== undefined,
    dropsNull: optional && !nullable && type !== 'unknown' && type !== 'any',
  };
}

const askZod: ReplyCheck = (value, walk) => {
  walk.passed = false;
  return value;
};
const isString: ReplyCheck = (value, walk) => (typeof value === 'string' ? value : askZod(value, walk));
const isId: ReplyCheck = (value, walk) => (value === '' ? askZod(value, walk) : isString(value, walk));
const isNumber: ReplyCheck = (value, walk) => (Number.isFinite(value) ? value : askZod(value, walk));
const isBoolean: ReplyCheck = (value, walk) => (typeof value === 'boolean' ? value : askZod(value, walk));

function arrayOf(checkItem: ReplyCheck): ReplyCheck {
  return (value, walk) => {
    if (!Array.isArray(value)) return askZod(value, walk);
    const items: unknown[] = value;
    for (let index = 0; index < items.length; index += 1) {
      const known = walk.drifts?.length;
      const item = items[index];
      const read = checkItem(item, walk);
      if (read !== item) items[index] = read;
      placeIn('*', walk.drifts, known);
    }
    return items;
  };
}

/** Checks an object with these fields. Other fields use `rest`, or may be anything. */
function objectOf(fields: ReadonlyMap<string, Field>, rest: Field | undefined, depth: number): ReplyCheck {
  const required = [...fields.values()].filter((field) => field.required).length;
  return (value, walk) => {
    if (!isFields(value)) return askZod(value, walk);
    // Its fields are written to below.
    const object = value as Record<string, unknown>;
    let missing = required;
    let dropped: Set<string> | undefined;
    // Checks each received field once, including undocumented fields.
    for (const key in object) {
      const inner = object[key];
      const known = fields.get(key);
      const field = known ?? rest;
      if (key === '__proto__') {
        (dropped ??= new Set()).add(key);
      } else if (field === undefined) {
        cleanJson(inner, depth);
      } else if (inner === null && field.dropsNull) {
        (dropped ??= new Set()).add(key);
        walk.drifts?.push({ path: [key], expected: field.type, received: 'null' });
      } else {
        const drifts = walk.drifts?.length;
        const read = field.check(inner, walk);
        if (read !== inner) object[key] = read;
        placeIn(key, walk.drifts, drifts);
        if (known?.required === true) missing -= 1;
      }
    }
    if (missing > 0) walk.passed = false;
    return dropped === undefined ? object : without(object, dropped);
  };
}

function without(object: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const key in object) if (!names.has(key)) rest[key] = object[key];
  return rest;
}

/** Puts a key before the paths of the drifts below it. */
function placeIn(key: string, drifts: readonly Drift[] | undefined, from: number | undefined): void {
  for (const { path } of drifts?.slice(from) ?? []) path.unshift(key);
}
