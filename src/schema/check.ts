import * as z from 'zod/mini';
import { cleanJson } from '../core/json.js';
import { safeParse, type Parsed } from './parse.js';
import { definition, unwrap, type Schema } from './wire.js';

/** A place in a reply that differs from the API document, though it could be read. */
export interface Drift {
  /** Where it is, `*` for any index of an array. */
  readonly path: string[];
  /** What the API document shows there. */
  readonly expected: string;
  /** What came. */
  readonly received: string;
}

/** What a walk over a value notes. */
interface CheckedReply {
  passed: boolean;
  /** With paths from where the walk is. */
  readonly drifts: Drift[] | undefined;
}

/**
 * Looks at a value and all that is in it. Gives the value without `__proto__` keys and without the `null`s that the API
 * document doesn't show: the very same one, unless it held one of these itself. (To delete a field is four times as slow
 * as to leave it out of a new object, and makes a slow object.)
 */
type ReplyCheck = (value: unknown, walk: CheckedReply) => unknown;

interface Field {
  readonly check: ReplyCheck;
  /** What `typeof` says of every value that passes, where that alone decides; else ''. */
  readonly plain: 'string' | 'boolean' | '';
  readonly type: string;
  /** It must be there for the check to pass. */
  readonly required: boolean;
  /** A `null` here reads as missing. */
  readonly dropsNull: boolean;
}

const compiled = new WeakMap<Schema, ReplyCheck>();

/**
 * Checks a parsed reply in place, and gives what zod would give for it. `null`s where the API document shows none are
 * taken for missing, and told of; in a free-form field they stay. What the compiled check does not pass goes to zod, which
 * has the last word and words the issues.
 *
 * @throws SyntaxError for JSON that is too deep
 */
export function checkInPlace<Output>(schema: z.ZodMiniType<Output>, value: unknown, drifts?: Drift[]): Parsed<Output> {
  let check = compiled.get(schema);
  if (check === undefined) compiled.set(schema, (check = compile(schema, 0)));
  const walk: CheckedReply = { passed: true, drifts };
  const read = check(value, walk);
  // A schema's compiled check passes only what the schema itself would.
  if (walk.passed) return { success: true, data: read as Output };
  cleanJson(read, 0);
  return safeParse(schema, read);
}

/** Compiles a schema once: to walk over the schemas themselves is slow. Only zod is asked about what isn't compiled. */
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
  if (def.checks !== undefined && def.checks.length > 0) return askZod;
  switch (def.type) {
    case 'string':
      return 'format' in def || def.coerce === true ? askZod : isString;
    case 'number':
      return 'format' in def || def.coerce === true ? askZod : isNumber;
    case 'boolean':
      return def.coerce === true ? askZod : isBoolean;
    case 'unknown':
      return (value) => {
        cleanJson(value, depth);
        return value;
      };
    case 'array':
      return arrayOf(compile(def.element, depth + 1));
    case 'object': {
      // Of another catchall, unknown fields would have to go, or to be checked.
      if (def.catchall === undefined || definition(def.catchall).type !== 'unknown') return askZod;
      const fields = Object.entries(def.shape).map(([key, field]) => [key, compileField(field, depth + 1)] as const);
      return objectOf(new Map(fields), undefined, depth + 1);
    }
    case 'record':
      if (compileInner(def.keyType, depth) !== isString) return askZod;
      return objectOf(new Map(), compileField(def.valueType, depth + 1), depth + 1);
    default:
      return askZod;
  }
}

function compileField(schema: Schema, depth: number): Field {
  const { schema: inner, optional, nullable } = unwrap(schema);
  const { type } = definition(inner);
  const absent = z.safeParse(schema, undefined);
  const check = compileInner(inner, depth);
  return {
    check: nullable ? orNull(check) : check,
    plain: check === isString ? 'string' : check === isBoolean ? 'boolean' : '',
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
const isNumber: ReplyCheck = (value, walk) => (Number.isFinite(value) ? value : askZod(value, walk));
const isBoolean: ReplyCheck = (value, walk) => (typeof value === 'boolean' ? value : askZod(value, walk));

function arrayOf(checkItem: ReplyCheck): ReplyCheck {
  return (value, walk) => {
    if (!Array.isArray(value)) return askZod(value, walk);
    const items = value as unknown[];
    for (let index = 0; index < items.length; index += 1) {
      const known = walk.drifts?.length;
      const item = items[index];
      const read = checkItem(item, walk);
      if (read !== item) items[index] = read;
      if (known !== undefined) placeIn('*', walk.drifts, known);
    }
    return items;
  };
}

/** A documented field among those of its object. */
interface Place {
  readonly name: string;
  readonly field: Field;
  /** The one that came after it last time. No more than a guess: the objects of a list have their fields in one order. */
  next: Place | undefined;
}

/** An object of these fields. Others are as `rest` says, or anything. */
function objectOf(fields: ReadonlyMap<string, Field>, rest: Field | undefined, depth: number): ReplyCheck {
  const required = [...fields.values()].filter((field) => field.required).length;
  const places = new Map<string, Place>();
  for (const [name, field] of fields) places.set(name, { name, field, next: undefined });
  const start: Pick<Place, 'next'> = { next: undefined };
  return (value, walk) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return askZod(value, walk);
    const object = value as Record<string, unknown>;
    let missing = required;
    let dropped: Set<string> | undefined;
    let place: Pick<Place, 'next'> = start;
    // The fields that came, each looked at once: among them may be ones that the API document doesn't show.
    for (const key in object) {
      const inner = object[key];
      let known: Place | undefined = place.next;
      if (known?.name !== key) {
        known = places.get(key);
        if (known !== undefined) place.next = known;
      }
      if (known !== undefined) place = known;
      const field = known?.field ?? rest;
      if (known !== undefined && typeof inner === known.field.plain) {
        if (known.field.required) missing -= 1;
      } else if (key === '__proto__') {
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
        if (drifts !== undefined) placeIn(key, walk.drifts, drifts);
        if (field.required) missing -= 1;
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

/** Puts a key before the paths of the drifts that were found under it. */
function placeIn(key: string, drifts: readonly Drift[] | undefined, from: number): void {
  if (drifts === undefined) return;
  for (let index = from; index < drifts.length; index += 1) drifts[index]?.path.unshift(key);
}
