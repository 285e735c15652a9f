import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { describeIssues, nearestFieldHint, type UnknownFieldHint } from '../../src/schema/issues.js';
import { safeParse } from '../../src/schema/check.js';
import { rule } from '../../src/schema/fields.js';

function issuesOf(schema: z.ZodMiniType, value: unknown, hint?: UnknownFieldHint): string[] {
  const parsed = safeParse(schema, value);
  return parsed.success ? [] : describeIssues(parsed.error.issues, hint).map(({ message }) => message);
}

describe('messages about a value', () => {
  const schema = z.strictObject({
    count: z.int().check(z.minimum(1), z.maximum(9)),
    when: z.iso.datetime(),
    labels: z.array(z.string()),
    name: z.string().check(z.minLength(1), z.maxLength(3)),
  });
  const valid = { count: 1, when: '2027-01-01T00:00:00Z', labels: [], name: 'a' };

  it.each([
    ['an integer before a vowel', { count: 1.5 }, 'count must be an integer'],
    ['a number', { count: 'x' }, 'count must be a number'],
    ['an array', { labels: 'x' }, 'labels must be an array'],
    ['a string before a consonant', { name: 5 }, 'name must be a string'],
    ['the smallest number', { count: 0 }, 'count must be at least 1'],
    ['the largest number', { count: 10 }, 'count must be at most 9'],
    ['the shortest text in the singular', { name: '' }, 'name must have at least 1 character'],
    ['the longest text', { name: 'abcd' }, 'name must have at most 3 characters'],
    ['the format', { when: 'soon' }, 'when must be datetime'],
  ])('name %s', (_, fields, message) => {
    expect(issuesOf(schema, { ...valid, ...fields })).toEqual([message]);
  });

  it.each<[string, z.ZodMiniType, unknown, string]>([
    ['an object before a vowel', z.looseObject({}), 5, 'must be an object'],
    ['an object with any keys', z.record(z.string(), z.string()), 5, 'must be an object'],
    ['a boolean', z.boolean(), 5, 'must be a boolean'],
    ['a URL', z.url(), 'x', 'must be a URL'],
    ['the one value', z.literal('a'), 'b', "must be 'a'"],
    ['each of two values', z.enum(['a', 'b']), 'c', "must be one of 'a', 'b'"],
    ['the shortest text in the plural', z.string().check(z.minLength(2)), 'a', 'must have at least 2 characters'],
    ['the longest text in the singular', z.string().check(z.maxLength(1)), 'ab', 'must have at most 1 character'],
    ['the fewest items', z.array(z.string()).check(z.minLength(1)), [], 'must have at least 1 item'],
    ['the most items', z.array(z.string()).check(z.maxLength(2)), ['a', 'b', 'c'], 'must have at most 2 items'],
    ['no rule of other kinds', z.number().check(z.multipleOf(2)), 3, 'is invalid'],
    ['no type of a union', z.union([z.string(), z.number()]), true, 'is invalid'],
    ['the rule of the schema', z.string('must be a name'), 5, 'must be a name'],
  ])('name %s', (_, field, value, message) => {
    expect(issuesOf(z.looseObject({ field }), { field: value })).toEqual([`field ${message}`]);
    expect(issuesOf(field, value)).toEqual([`the argument ${message}`]);
  });

  it('have a subject of the caller for the value as a whole', () => {
    const parsed = safeParse(schema, null);
    const issues = parsed.success ? [] : describeIssues(parsed.error.issues, undefined, 'the reply');
    expect(issues).toEqual([{ path: [], message: 'the reply must be an object' }]);
  });

  it('have the path of the field', () => {
    const nested = z.looseObject({ list: z.array(z.strictObject({ a: z.string() })) });
    const parsed = safeParse(nested, { list: [{ a: 'x' }, { a: 1, b: 2, c: 3 }] });
    expect(parsed.success ? [] : describeIssues(parsed.error.issues)).toEqual([
      { path: ['list', 1, 'a'], message: 'list.1.a must be a string' },
      { path: ['list', 1, 'b'], message: 'list.1.b is not a documented field' },
      { path: ['list', 1, 'c'], message: 'list.1.c is not a documented field' },
    ]);
  });

  it('show a symbol in a path by its name', () => {
    const parsed = safeParse(
      z.looseObject({}).check(z.refine(() => false, { path: [Symbol('key')], error: 'is wrong' })),
      {},
    );
    expect(parsed.success ? [] : describeIssues(parsed.error.issues)).toEqual([
      { path: ['Symbol(key)'], message: 'Symbol(key) is wrong' },
    ]);
  });

  describe('about an object of another kind', () => {
    const target = z.strictObject(
      { id: z.string() },
      { error: ({ code }) => (code === 'unrecognized_keys' ? 'is not a target' : undefined) },
    );
    const post = z.looseObject({ targets: z.array(target), note: z.looseObject({ text: z.string() }) });

    it('leave out its fields, and no others', () => {
      const value = { targets: [{ name: 'x' }, {}, { id: 5, name: 'x' }, { id: 'a' }], note: { text: 5 } };
      expect(issuesOf(post, value)).toEqual([
        'targets.0 is not a target',
        'targets.1.id must be a string',
        'targets.2 is not a target',
        'note.text must be a string',
      ]);
    });

    it('keep the fields of an object that has another mistake with its own message', () => {
      const ruled = post.check(
        rule((_value, fail) => {
          fail(['note'], 'is too late');
        }),
      );
      expect(issuesOf(ruled, { targets: [], note: { text: 5 } })).toEqual([
        'note.text must be a string',
        'note is too late',
      ]);
    });
  });

  it('suggest the nearest documented field', () => {
    expect(issuesOf(schema, { ...valid, cuont: 1 }, nearestFieldHint(schema, 'extraBody'))).toEqual([
      "cuont is not a documented field; did you mean 'count'? If not, send it through extraBody",
    ]);
  });

  it('suggest the nearest field of the same object', () => {
    const nested = z.looseObject({
      list: z.array(z.strictObject({ accountId: z.optional(z.string()) })),
      acount: z.optional(z.string()),
    });
    expect(issuesOf(nested, { list: [{ acountId: 'x' }] }, nearestFieldHint(nested, 'extraBody'))).toEqual([
      "list.0.acountId is not a documented field; did you mean 'accountId'? If not, send it through extraBody",
    ]);
  });

  it('show the way through if no documented field is near', () => {
    expect(issuesOf(schema, { ...valid, mediaItems: [] }, nearestFieldHint(schema, 'extraBody'))).toEqual([
      'mediaItems is not a documented field; send it through extraBody',
    ]);
    expect(issuesOf(schema, { ...valid, mediaItems: [] }, nearestFieldHint(schema))).toEqual([
      'mediaItems is not a documented field',
    ]);
    expect(issuesOf(schema, { ...valid, mediaItems: [] }, nearestFieldHint(schema, 'extraQuery', new Set()))).toEqual([
      'mediaItems is not a documented field; send it through extraQuery',
    ]);
  });

  it('show a field that is an option of the call', () => {
    const hint = nearestFieldHint(schema, undefined, new Set(['signal']));
    expect(issuesOf(schema, { ...valid, signal: null }, hint)).toEqual([
      'signal is not a documented field: it is an option of the call, pass it in the last argument',
    ]);
  });
});

describe('a check that throws', () => {
  const throwing = (error: Error) =>
    z.custom(() => {
      throw error;
    });

  it('has one issue if zod has more issues than a call can have arguments', () => {
    const parsed = safeParse(throwing(new RangeError('Maximum call stack size exceeded')), []);
    const issues = [{ path: [], message: 'has more mistakes than can be listed' }];
    expect(parsed).toMatchObject({ success: false, error: { issues } });
  });

  it('throws the same error if it is of another kind', () => {
    const error = new TypeError('a getter failed');
    expect(() => safeParse(throwing(error), [])).toThrow(error);
  });
});
