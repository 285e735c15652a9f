import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { cleanJson } from '../../src/core/json.js';
import { checkInPlace, type Drift, safeParse } from '../../src/schema/check.js';
import { webhookEventSchema } from '../../src/schema/event.js';
import { endpointsByName } from '../support/endpoints.js';
import { runs, runsTimeoutMs } from '../support/property.js';

type Schema = z.ZodMiniType;

const replies = Object.entries(endpointsByName).map(([name, { response }]): [string, Schema] => [name, response()]);

const definition = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

/** JSON as a text: so that a key may be `__proto__`, and a number too large. */
type Text = string;

const anyKey = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', 'postId', 'success', '*'),
);
const anyJson: fc.Arbitrary<Text> = fc.letrec<{ json: Text }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', '0', '1e999', '-1e999', '-0', 'true', '""', '"text"', '[]', '{}', '1.5'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc.array(fc.tuple(anyKey, tie('json')), { maxLength: 3 }).map(objectText),
  ),
})).json;

function objectText(fields: readonly (readonly [string, Text])[]): Text {
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

/** Values that a schema describes, with some deviations; `spoilt` is their frequency. */
function near(schema: z.core.$ZodType, spoilt: number): fc.Arbitrary<Text> {
  const good = described(schema, spoilt);
  return spoilt === 0
    ? good
    : fc.oneof(
        { weight: 100 - spoilt, arbitrary: good },
        { weight: spoilt, arbitrary: fc.oneof(fc.constant('null'), anyJson) },
      );
}

function described(schema: z.core.$ZodType, spoilt: number): fc.Arbitrary<Text> {
  const def = definition(schema);
  switch (def.type) {
    case 'optional':
      return near(def.innerType, spoilt);
    case 'nullable':
      return fc.oneof(fc.constant('null'), near(def.innerType, spoilt));
    case 'string':
      // The ID of a created resource has a minimum length of 1.
      return fc
        .string({ minLength: def.checks === undefined ? 0 : 1, maxLength: 4 })
        .map((text) => JSON.stringify(text));
    case 'number':
      return fc
        .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
        .map((value) => JSON.stringify(value));
    case 'boolean':
      return fc.boolean().map(String);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries)).map((value) => JSON.stringify(value));
    case 'unknown':
      return anyJson;
    case 'array':
      return fc.array(near(def.element, spoilt), { maxLength: 3 }).map((items) => `[${items.join()}]`);
    case 'object': {
      const others = def.catchall === undefined ? anyJson : near(def.catchall, spoilt);
      const fields = Object.entries(def.shape).map(([key, field]) => {
        const pair = near(field, spoilt).map((value) => [key, value] as const);
        const mayMiss = safeParse(field, undefined).success;
        return mayMiss || spoilt > 0 ? fc.option(pair, { nil: undefined, freq: mayMiss ? 2 : 30 }) : pair;
      });
      return fc
        .tuple(fc.tuple(...fields), fc.array(fc.tuple(anyKey, others), { maxLength: 3 }), fc.boolean())
        .map(([known, unknown, turned]) => {
          const others = unknown.filter(([key]) => spoilt > 0 || !Object.hasOwn(def.shape, key));
          const all = [...known.filter((field) => field !== undefined), ...others];
          return objectText(turned ? all.reverse() : all);
        });
    }
    default:
      throw new Error(`No JSON is made of ${def.type} yet.`);
  }
}

/** Distinguishes all values, except by the order of keys. */
function shown(value: unknown): string {
  return inspect(value, { depth: Infinity, sorted: true, compact: false });
}

/** A simple form of the check: removes undocumented `null`s, then runs zod. */
function byZod(schema: Schema, text: Text): { value: string; drifts: Drift[]; issues: unknown } {
  const drifts: Drift[] = [];
  const parsed: unknown = JSON.parse(text);
  cleanJson(parsed, 0);
  const result = safeParse(schema, withoutNulls(schema, parsed, [], drifts));
  const value = shown(result.success ? result.data : undefined);
  return { value, drifts, issues: result.success ? undefined : result.error.issues };
}

function withoutNulls(schema: z.core.$ZodType, value: unknown, path: readonly string[], drifts: Drift[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const def = definition(schema);
  if (def.type === 'optional' || def.type === 'nullable') return withoutNulls(def.innerType, value, path, drifts);
  if (def.type === 'array' && Array.isArray(value)) {
    return value.map((item) => withoutNulls(def.element, item, [...path, '*'], drifts));
  }
  if (def.type !== 'object' || Array.isArray(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : def.catchall;
    if (field === undefined || definition(field).type === 'unknown') kept[key] = inner;
    else if (inner !== null || allowsNull(field)) kept[key] = withoutNulls(field, inner, [...path, key], drifts);
    else drifts.push({ path: [...path, key], expected: plain(field), received: 'null' });
  }
  return kept;
}

/** A `null` stays where the schema takes it, and where the field must be there, which then is an issue. */
function allowsNull(field: z.core.$ZodType): boolean {
  return safeParse(field, null).success || !safeParse(field, undefined).success;
}

function plain(schema: z.core.$ZodType): string {
  const def = definition(schema);
  return def.type === 'optional' || def.type === 'nullable' ? plain(def.innerType) : def.type;
}

function byCheck(schema: Schema, text: Text): ReturnType<typeof byZod> {
  const drifts: Drift[] = [];
  const result = checkInPlace(schema, JSON.parse(text), drifts);
  return result.success
    ? { value: shown(result.data), drifts, issues: undefined }
    : { value: shown(undefined), drifts, issues: result.error.issues };
}

describe.each([...replies, ['an event', webhookEventSchema()] as [string, Schema]])(
  'the compiled check of %s',
  (name, schema) => {
    it(
      'agrees with zod for any JSON, with the same value and the same drifts',
      () => {
        fc.assert(
          fc.property(
            fc.oneof(
              { weight: 1, arbitrary: anyJson },
              { weight: 5, arbitrary: near(schema, 2) },
              { weight: 3, arbitrary: near(schema, 20) },
            ),
            (text) => {
              expect(byCheck(schema, text)).toEqual(byZod(schema, text));
            },
          ),
          runs(60),
        );
      },
      runsTimeoutMs(20, 60),
    );

    // The schema of events has an enumeration, and is checked by hand in the receiver.
    it.skipIf(name === 'an event')(
      'accepts documented values without zod, and without a copy',
      () => {
        fc.assert(
          fc.property(near(schema, 0), (text) => {
            const value: unknown = JSON.parse(text);
            cleanJson(value, 0);
            const result = checkInPlace(schema, value);
            expect(result.success && result.data === value).toBe(true);
          }),
          runs(30),
        );
      },
      runsTimeoutMs(20, 30),
    );
  },
);

describe('cases that the compiled check leaves to zod', () => {
  const loose = (field: z.core.$ZodType) => z.looseObject({ field });
  it.each<[string, Schema, unknown, unknown]>([
    ['a checked string', loose(z.string().check(z.minLength(2))), { field: 'a' }, undefined],
    ['a format', loose(z.iso.date()), { field: 'today' }, undefined],
    ['an integer', loose(z.int()), { field: 1.5 }, undefined],
    ['a union', loose(z.union([z.string(), z.number()])), { field: 1 }, { field: 1 }],
    ['a literal', loose(z.literal('a')), { field: 'b' }, undefined],
    ['coercion', loose(z.coerce.number()), { field: '1' }, { field: 1 }],
    ['a default', loose(z._default(z.string(), 'a')), {}, { field: 'a' }],
    [
      'a transform',
      loose(
        z.pipe(
          z.string(),
          z.transform((text: string) => text.length),
        ),
      ),
      { field: 'abc' },
      { field: 3 },
    ],
    ['an object that drops unknown fields', z.object({ a: z.string() }), { a: 'a', b: 1 }, { a: 'a' }],
    ['a strict object', z.strictObject({ a: z.string() }), { a: 'a', b: 1 }, undefined],
    ['an object with a rule', z.looseObject({ a: z.string() }).check(z.refine(() => false)), { a: 'a' }, undefined],
    ['an array with a length', z.array(z.string()).check(z.minLength(1)), [], undefined],
    ['a record of known keys', z.record(z.enum(['a']), z.string()), { b: '1' }, undefined],
  ])('%s', (_, schema, value, expected) => {
    const result = checkInPlace(schema, value);
    expect(result.success ? result.data : undefined).toEqual(expected);
  });
});
