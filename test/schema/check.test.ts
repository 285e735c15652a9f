import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { checkInPlace, safeParse, type Drift } from '../../src/schema/check.js';

/** Checks a JSON text, and returns the value or the issues, with the drifts. */
function check(schema: z.ZodMiniType, text: string) {
  const drifts: Drift[] = [];
  const result = checkInPlace(schema, JSON.parse(text), drifts);
  return result.success
    ? { data: result.data, drifts }
    : { paths: result.error.issues.map(({ path }) => path), drifts };
}

describe('safeParse', () => {
  it('returns the value, or the issues without a text', () => {
    expect(safeParse(z.string(), 'a')).toEqual({ success: true, data: 'a' });
    expect(safeParse(z.string(), 5)).toMatchObject({
      success: false,
      error: { issues: [{ code: 'invalid_type', expected: 'string', path: [], message: 'Invalid input' }] },
    });
  });

  it('returns one issue about the whole value if zod overflows the stack', () => {
    const overflowing = z.custom(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    expect(safeParse(overflowing, [])).toStrictEqual({
      success: false,
      error: {
        issues: [{ code: 'custom', path: [], message: 'has more mistakes than can be listed', input: undefined }],
      },
    });
  });
});

describe('a reply', () => {
  const schema = z.looseObject({
    id: z.string(),
    count: z.optional(z.number()),
    isNew: z.optional(z.boolean()),
    note: z.optional(z.nullable(z.string())),
    free: z.optional(z.unknown()),
    any: z.optional(z.any()),
    list: z.optional(z.array(z.looseObject({ name: z.optional(z.string()) }))),
    inner: z.optional(z.looseObject({ at: z.optional(z.string()) })),
  });

  it('loses the nulls that are not documented, each reported with its path and its type', () => {
    const text = JSON.stringify({
      id: 'a',
      count: null,
      isNew: null,
      note: null,
      free: null,
      any: null,
      list: [{ name: 'x' }, { name: null, other: null }, { name: null }],
      inner: { at: null },
      other: null,
    });
    expect(check(schema, text)).toStrictEqual({
      data: {
        id: 'a',
        note: null,
        free: null,
        any: null,
        list: [{ name: 'x' }, { other: null }, {}],
        inner: {},
        other: null,
      },
      drifts: [
        { path: ['count'], expected: 'number', received: 'null' },
        { path: ['isNew'], expected: 'boolean', received: 'null' },
        { path: ['list', '*', 'name'], expected: 'string', received: 'null' },
        { path: ['list', '*', 'name'], expected: 'string', received: 'null' },
        { path: ['inner', 'at'], expected: 'string', received: 'null' },
      ],
    });
  });

  it('loses these nulls if nobody asks for drifts, too', () => {
    const value: unknown = JSON.parse('{"id":"a","count":null,"list":[{"name":null}],"inner":{"at":null}}');
    expect(checkInPlace(schema, value)).toStrictEqual({ success: true, data: { id: 'a', list: [{}], inner: {} } });
  });

  it.each([
    ['{"id":null}', [['id']]],
    ['{}', [['id']]],
    ['{"other":"x"}', [['id']]],
    ['{"id":5}', [['id']]],
    ['{"id":"a","count":"1"}', [['count']]],
    ['{"id":"a","count":1e999}', [['count']]],
    ['{"id":"a","isNew":"true"}', [['isNew']]],
    ['{"id":"a","note":5}', [['note']]],
    ['{"id":"a","list":{}}', [['list']]],
    ['{"id":"a","list":"x"}', [['list']]],
    [
      '{"id":"a","list":[1,{"name":2}]}',
      [
        ['list', 0],
        ['list', 1, 'name'],
      ],
    ],
    ['{"id":"a","inner":[]}', [['inner']]],
    ['[]', [[]]],
    ['null', [[]]],
    ['"x"', [[]]],
  ])('is refused with the path of each mistake: %s', (text, paths) => {
    expect(check(schema, text)).toEqual({ paths, drifts: [] });
  });

  it('is the same object if it is as documented', () => {
    // Each check compiles a new schema.
    const whole = z.looseObject({
      text: z.string(),
      number: z.number(),
      flag: z.boolean(),
      texts: z.array(z.string()),
      numbers: z.array(z.number()),
      flags: z.array(z.nullable(z.boolean())),
      free: z.unknown(),
      inner: z.looseObject({ absent: z.optional(z.string()), none: z.nullable(z.number()) }),
      rest: z.catchall(z.object({ a: z.string() }), z.number()),
      absent: z.optional(z.array(z.number())),
    });
    const value = {
      text: 'a',
      number: 1,
      flag: true,
      texts: ['a'],
      numbers: [1.5],
      flags: [false, null],
      free: { a: null },
      inner: { none: null, other: 1 },
      rest: { b: 1, a: 'a' },
    };
    const before = structuredClone(value);
    const result = checkInPlace(whole, value, []);
    expect(result.success && result.data).toBe(value);
    expect(value).toStrictEqual(before);
  });

  it('may be a list or null where the schema says so', () => {
    const list = z.nullable(z.array(z.nullable(z.number())));
    expect(check(list, 'null')).toEqual({ data: null, drifts: [] });
    expect(check(list, '[1,null]')).toEqual({ data: [1, null], drifts: [] });
    expect(check(list, '[1,"2"]')).toEqual({ paths: [[1]], drifts: [] });
  });

  it('needs its required fields, also among other fields of a checked type', () => {
    const figures = z.catchall(z.object({ id: z.string() }), z.string());
    expect(check(figures, '{"reach":"5"}')).toEqual({ paths: [['id']], drifts: [] });
    expect(check(figures, '{"id":"a","reach":5}')).toEqual({ paths: [['reach']], drifts: [] });
    expect(check(figures, '{"id":"a","reach":"5"}')).toEqual({ data: { id: 'a', reach: '5' }, drifts: [] });
  });

  it('loses undocumented nulls among fields of a checked type', () => {
    const figures = z.catchall(z.object({}), z.optional(z.looseObject({ total: z.optional(z.number()) })));
    expect(check(figures, '{"reach":null,"views":{"total":null}}')).toStrictEqual({
      data: { views: {} },
      drifts: [
        { path: ['reach'], expected: 'object', received: 'null' },
        { path: ['views', 'total'], expected: 'number', received: 'null' },
      ],
    });
  });

  it.each<[string, z.ZodMiniType, string, unknown]>([
    ['a coerced string', z.coerce.string(), '5', '5'],
    ['a coerced number', z.coerce.number(), '"5"', 5],
    ['a coerced boolean', z.coerce.boolean(), '""', false],
  ])('is converted where the schema says so: %s', (_, field, text, value) => {
    expect(check(z.looseObject({ field }), `{"field":${text}}`)).toEqual({ data: { field: value }, drifts: [] });
    expect(check(z.array(field), `[${text}]`)).toEqual({ data: [value], drifts: [] });
  });

  it.each<[string, z.ZodMiniType, string]>([
    ['a format of a string', z.iso.date(), '"today"'],
    ['a format of a number', z.int32(), '1.5'],
    ['a rule', z.string().check(z.minLength(2)), '"a"'],
  ])('follows %s', (_, field, text) => {
    expect(check(z.looseObject({ field }), `{"field":${text}}`)).toEqual({ paths: [['field']], drifts: [] });
  });
});

describe('a key __proto__ in a reply', () => {
  it.each<[string, z.ZodMiniType, string, string]>([
    ['of an object', z.looseObject({ a: z.optional(z.string()) }), '{"__proto__":{"x":1},"a":"b"}', '{"a":"b"}'],
    ['of an unknown field', z.looseObject({}), '{"a":{"__proto__":{"x":1},"b":[{"__proto__":1}]}}', '{"a":{"b":[{}]}}'],
    ['of a free-form field', z.looseObject({ a: z.unknown() }), '{"a":{"__proto__":1,"b":2}}', '{"a":{"b":2}}'],
    ['of a value that zod reads', z.object({ a: z.any() }), '{"a":{"__proto__":1,"b":2}}', '{"a":{"b":2}}'],
  ])('is dropped: %s', (_, schema, text, left) => {
    const { data } = check(schema, text);
    expect(JSON.stringify(data)).toBe(left);
  });
});

describe('the depth of a reply', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each<[string, z.ZodMiniType, (deep: string) => string, number]>([
    ['of a free-form value', z.unknown(), (deep) => deep, 0],
    ['of a free-form field', z.looseObject({ a: z.unknown() }), (deep) => `{"a":${deep}}`, 1],
    ['of an unknown field', z.looseObject({}), (deep) => `{"a":${deep}}`, 1],
    ['of a list', z.array(z.unknown()), (deep) => `[${deep}]`, 1],
    ['of a list in an object', z.looseObject({ a: z.array(z.unknown()) }), (deep) => `{"a":[${deep}]}`, 2],
    [
      'of an object in an object',
      z.looseObject({ a: z.looseObject({ b: z.unknown() }) }),
      (deep) => `{"a":{"b":${deep}}}`,
      2,
    ],
    ['of fields of one type', z.catchall(z.object({}), z.looseObject({})), (deep) => `{"a":{"b":${deep}}}`, 2],
    ['of a list of objects', z.array(z.looseObject({ a: z.unknown() })), (deep) => `[{"a":${deep}}]`, 2],
    ['of a value that zod reads', z.object({ a: z.any() }), (deep) => `{"a":${deep}}`, 1],
  ])('is at most 500: %s', (_, schema, around, levels) => {
    expect(checkInPlace(schema, JSON.parse(around(nested(500 - levels)))).success).toBe(true);
    const tooDeep: unknown = JSON.parse(around(nested(501 - levels)));
    expect(() => checkInPlace(schema, tooDeep)).toThrow(new SyntaxError('JSON is more than 500 deep'));
  });
});
