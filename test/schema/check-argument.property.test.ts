import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from '../../src/resources/endpoints.js';
import { checkArgument } from '../../src/schema/check-argument.js';
import { definition, type Schema } from '../../src/schema/wire.js';
import { runs, runsTimeoutMs } from '../support/property.js';

interface WithArguments {
  readonly query?: () => Schema;
  readonly body?: () => Schema;
}

const schemas = Object.entries(endpoints).flatMap(([group, members]) =>
  Object.entries(members as Readonly<Record<string, WithArguments>>).flatMap(([name, { query, body }]) => [
    ...(query === undefined ? [] : [[`${group}.${name} query`, query()] as const]),
    ...(body === undefined ? [] : [[`${group}.${name} body`, body()] as const]),
  ]),
);

const times = [
  '2026-03-01T09:00:00Z',
  '2026-03-01T09:00:00+01:00',
  '2026-03-01T09:00',
  '2026-03-01',
  '2026-02-30',
  'soon',
];
const odd = fc.oneof(
  fc.anything(),
  fc.constantFrom(null, undefined, '', 0, -1, 1.5, 101, Number.NaN, Infinity, 2 ** 60, true, [], {}, ...times),
);

/** What a schema may take, with some of it spoilt in `spoilt` of 100 places. */
function near(schema: Schema, spoilt: number): fc.Arbitrary<unknown> {
  const right = rightOf(schema, spoilt);
  return spoilt === 0
    ? right
    : fc.oneof({ weight: 100 - spoilt, arbitrary: right }, { weight: spoilt, arbitrary: odd });
}

function rightOf(schema: Schema, spoilt: number): fc.Arbitrary<unknown> {
  const def = definition(schema);
  switch (def.type) {
    case 'optional':
      return fc.option(near(def.innerType, spoilt), { nil: undefined });
    case 'nullable':
      return fc.option(near(def.innerType, spoilt), { nil: null });
    case 'string': {
      const { format } = def as { format?: string };
      if (format === 'datetime') return fc.constantFrom(...times.slice(0, 3));
      if (format === 'date') return fc.constant('2026-03-01');
      return format === 'url' ? fc.webUrl() : fc.string({ minLength: 1 });
    }
    case 'number':
      return fc.integer({ min: 1, max: 100 });
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'array':
      return fc.array(near(def.element, spoilt), { minLength: 1, maxLength: 3 });
    case 'object': {
      const known = fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([key, field]) => [key, near(field, spoilt)])),
        { noNullPrototype: true, requiredKeys: Object.keys(def.shape).filter((key) => !isOptional(def.shape[key])) },
      );
      if (spoilt === 0) return known;
      const others = fc.option(fc.dictionary(fc.string(), fc.anything(), { maxKeys: 1 }), { freq: 10, nil: {} });
      return fc.tuple(known, others).map(([fields, more]) => ({ ...fields, ...more }));
    }
    default:
      return odd;
  }
}

const isOptional = (field: Schema | undefined) => field !== undefined && definition(field).type === 'optional';

/** zod asks a rule over several fields too; and of a text whether it is a URL. */
const askedByZod = /^(?:analytics\.(?:getPost|listPosts|getInstagramInsights) query|notifications\.create body)$/;

describe.each(schemas)('the compiled check of an argument: %s', (name, schema) => {
  it(
    'says what zod says, with the same issues, and gives an equal value',
    () => {
      const values = fc.oneof(
        { weight: 1, arbitrary: odd },
        { weight: 4, arbitrary: near(schema, 0) },
        { weight: 4, arbitrary: near(schema, 3) },
        { weight: 2, arbitrary: near(schema, 20) },
      );
      fc.assert(
        fc.property(values, (value) => {
          const [found, byZod] = [checkArgument(schema, value), z.safeParse(schema, value)];
          expect(found.success).toBe(byZod.success);
          if (byZod.success) expect(found).toEqual({ success: true, data: byZod.data });
          else expect(found).toMatchObject({ error: { issues: byZod.error.issues } });
        }),
        runs(100),
      );
    },
    runsTimeoutMs(20, 100),
  );

  it.skipIf(askedByZod.test(name))('takes what is right without zod, and without a copy', () => {
    fc.assert(
      fc.property(near(schema, 0), (value) => {
        const found = checkArgument(schema, value);
        expect(found.success && found.data === value).toBe(true);
      }),
      runs(30),
    );
  });
});

describe('what the compiled check of an argument leaves to zod', () => {
  const strict = (field: Schema) => z.strictObject({ field });
  it.each<[string, Schema, unknown]>([
    ['a default', strict(z._default(z.string(), 'a')), {}],
    [
      'a transformation',
      strict(
        z.pipe(
          z.string(),
          z.transform((text) => text.length),
        ),
      ),
      { field: 'abc' },
    ],
    ['an object whose unknown fields go', z.object({ field: z.string() }), { field: 'a', other: 1 }],
    ['a union', strict(z.union([z.string(), z.number()])), { field: 'a' }],
    ['a number that is coerced', strict(z.coerce.number()), { field: '1' }],
    ['a pattern', strict(z.string().check(z.regex(/^a$/))), { field: 'a' }],
    ['a text that is trimmed', strict(z.string().check(z.trim())), { field: ' a ' }],
    ['a number of 32 bits', strict(z.int32()), { field: 2 ** 31 - 1 }],
  ])('%s', (_, schema, value) => {
    expect(checkArgument(schema, value)).toEqual(z.safeParse(schema, value));
    expect(checkArgument(schema, { field: {} })).toMatchObject({ success: z.safeParse(schema, { field: {} }).success });
  });

  it('reads an array with empty places as zod does', () => {
    const schema = z.strictObject({ field: z.array(z.string()) });
    for (const field of [['a', , 'b'], [,], []])
      expect(checkArgument(schema, { field }).success).toBe(z.safeParse(schema, { field }).success);
  });
});
