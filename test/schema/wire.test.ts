import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { fieldNamesAt, ownFields, toWire, unwrap } from '../../src/schema/wire.js';

const schema = z.looseObject({
  at: z.optional(z.iso.datetime({ offset: true, local: true })),
  day: z.optional(z.nullable(z.iso.date())),
  name: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  times: z.optional(z.array(z.iso.datetime())),
  days: z.optional(z.array(z.array(z.iso.date()))),
  items: z.optional(z.array(z.looseObject({ at: z.optional(z.iso.datetime()), name: z.optional(z.string()) }))),
  inner: z.optional(z.looseObject({ deep: z.optional(z.looseObject({ at: z.optional(z.iso.datetime()) })) })),
});
const at = new Date('2027-01-01T23:30:00.5Z');
const text = '2027-01-01T23:30:00.500Z';

describe('unwrap', () => {
  it('returns the schema inside all wrappers, with their kinds', () => {
    const inner = z.string();
    expect(unwrap(inner)).toEqual({ schema: inner, optional: false, nullable: false });
    expect(unwrap(z.optional(inner))).toEqual({ schema: inner, optional: true, nullable: false });
    expect(unwrap(z.nullable(inner))).toEqual({ schema: inner, optional: false, nullable: true });
    expect(unwrap(z.nullable(z.optional(z.nullable(inner))))).toEqual({
      schema: inner,
      optional: true,
      nullable: true,
    });
  });
});

describe('the wire form of a request', () => {
  it.each<[string, object, object]>([
    ['a date-time', { at }, { at: text }],
    ['a day', { day: at }, { day: '2027-01-01' }],
    ['an instant', { at: { epochMilliseconds: 0 } }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a list', { times: [text, at] }, { times: [text, text] }],
    ['a list of lists', { days: [[at], ['2027-01-02']] }, { days: [['2027-01-01'], ['2027-01-02']] }],
    [
      'items of a list',
      { items: [{ name: 'a' }, { at, name: 'b' }] },
      { items: [{ name: 'a' }, { at: text, name: 'b' }] },
    ],
    ['an inner object', { inner: { deep: { at, other: 1 } } }, { inner: { deep: { at: text, other: 1 } } }],
  ])('has texts in place of times: %s', (_, value, written) => {
    const before = structuredClone(value);
    expect(toWire(schema, value)).toEqual(written);
    expect(toWire(schema, { ...value, name: 'x', other: at })).toEqual({ ...written, name: 'x', other: at });
    expect(value).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['texts', { at: text, day: '2027-01-01', times: [text], items: [{ at: text }], inner: { deep: {} } }],
    ['nothing', {}],
    ['null in each field', { at: null, day: null, times: null, items: null, inner: null }],
    ['undefined in each field', { at: undefined, day: undefined, times: undefined, items: [undefined] }],
    ['values of other types', { at: 5, day: {}, name: at, tags: [at], times: {}, items: 'x', inner: [at] }],
    ['an invalid date', { at: new Date(Number.NaN) }],
    ['a list', [at]],
    ['a text', text],
    ['null', null],
    ['undefined', undefined],
  ])('is the same value if there is nothing to convert: %s', (_, value) => {
    expect(toWire(schema, value)).toBe(value);
  });

  it('keeps the parts that have nothing to convert', () => {
    const value = { at, items: [{ name: 'a' }], inner: { deep: {} } };
    const written = toWire(schema, value) as typeof value;
    expect(written.items).toBe(value.items);
    expect(written.inner).toBe(value.inner);
  });

  it('adds no field', () => {
    expect(toWire(schema, { at })).toStrictEqual({ at: text });
  });

  it('reports each date-time without an offset with its path', () => {
    const local = '2027-01-01T09:00';
    const paths: (readonly (string | number)[])[] = [];
    const value = {
      at: local,
      day: local,
      name: local,
      times: [text, local],
      items: [{ at: text }, { at: local }],
      inner: { deep: { at: local } },
    };
    expect(toWire(schema, value, (path) => paths.push(path))).toBe(value);
    expect(paths).toEqual([['at'], ['times', 1], ['items', 1, 'at'], ['inner', 'deep', 'at']]);
    expect(toWire(schema, value)).toBe(value);
  });

  it.each(['2027-01-01T09:00', '2027-01-01T09:00:30', '2027-01-01T09:00:30.1', '2027-01-01T09:00:30.1234'])(
    'reports %s',
    (time) => {
      const paths: unknown[] = [];
      toWire(schema, { at: time }, (path) => paths.push(path));
      expect(paths).toEqual([['at']]);
    },
  );

  it.each([
    '2027-01-01',
    '2027-01-01 09:00',
    '2027-01-01T09',
    '2027-01-01T9:00',
    '2027-1-01T09:00',
    '2027-01-1T09:00',
    '27-01-01T09:00',
    '2027-01-01T09:00:3',
    '2027-01-01T09:00:30.',
    '2027-01-01T09:00:30.Z',
    '2027-01-01T09:00Z',
    '2027-01-01T09:00:30.25+02:00',
    'x2027-01-01T09:00',
    '2027-01-01T09:00.5',
    '2027-01-01T09:00:30:30',
    ' 2027-01-01T09:00',
    '2027-01-01T09:00 ',
    '2027-01-01T09:00+02:00',
    'aaaa-bb-ccTdd:ee',
    [],
  ])('does not report %j', (time) => {
    const paths: unknown[] = [];
    toWire(schema, { at: time }, (path) => paths.push(path));
    expect(paths).toEqual([]);
  });
});

class Row {
  own = 'own';
  name = 'own name';
  get at() {
    return at;
  }
  get other() {
    return 'other';
  }
}

describe('an instance', () => {
  it('is sent with its documented fields only, if some are on its prototype', () => {
    expect(toWire(schema, new Row())).toStrictEqual({ at: text, name: 'own name' });
    expect(toWire(schema, { items: [new Row()] })).toStrictEqual({ items: [{ at: text, name: 'own name' }] });
    expect(ownFields(schema, new Row())).toStrictEqual({ at, name: 'own name' });
  });

  it('is sent as it is if all documented fields are own fields', () => {
    class Plain {
      readonly name = 'x';
      get other() {
        return 1;
      }
    }
    const instance = new Plain();
    expect(toWire(schema, instance)).toBe(instance);
    expect(ownFields(schema, instance)).toBe(instance);
    const bare = Object.assign(Object.create(null) as object, { name: 'x' });
    expect(ownFields(schema, bare)).toBe(bare);
  });

  it('does not have the methods of every object as fields', () => {
    const named = z.looseObject({ toString: z.optional(z.string()), name: z.optional(z.string()) });
    const value = { name: 'x', other: 1 };
    expect(toWire(named, value)).toBe(value);
    expect(ownFields(named, value)).toBe(value);
  });
});

describe('an argument that cannot be copied field by field', () => {
  it.each([null, undefined, 'text', 5, [[at]]])('stays the same: %j', (value) => {
    expect(ownFields(schema, value as never)).toBe(value);
  });

  it('stays the same if the schema has no fields', () => {
    const row = new Row();
    expect(ownFields(z.array(schema), row)).toBe(row);
  });
});

describe('the names of the documented fields', () => {
  it.each<[(string | number)[], string[]]>([
    [[], ['at', 'day', 'name', 'tags', 'times', 'days', 'items', 'inner']],
    [
      ['items', 0],
      ['at', 'name'],
    ],
    [
      ['items', 7],
      ['at', 'name'],
    ],
    [['inner'], ['deep']],
    [['inner', 'deep'], ['at']],
    [['items'], []],
    [['name'], []],
    [['name', 'x'], []],
    [['other'], []],
    [['other', 'at', 'x'], []],
    [['days', 0, 0], []],
  ])('at %j', (path, names) => {
    expect(fieldNamesAt(schema, path)).toEqual(names);
  });
});
