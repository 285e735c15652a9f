import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { daysBetween } from '../../src/schema/date-range.js';
import { describeIssues, nearestFieldHint, type UnknownFieldHint } from '../../src/schema/issues.js';
import { safeParse } from '../../src/schema/check.js';
import { toWire } from '../../src/schema/wire.js';

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
  ])('name %s', (_, fields, message) => {
    expect(issuesOf(schema, { ...valid, ...fields })).toEqual([message]);
  });

  it('suggest the nearest documented field', () => {
    expect(issuesOf(schema, { ...valid, cuont: 1 }, nearestFieldHint(schema, 'extraBody'))).toEqual([
      "cuont is not a documented field; did you mean 'count'?",
    ]);
  });

  it('show the way through if no documented field is near', () => {
    expect(issuesOf(schema, { ...valid, mediaItems: [] }, nearestFieldHint(schema, 'extraBody'))).toEqual([
      'mediaItems is not a documented field; send it through extraBody',
    ]);
    expect(issuesOf(schema, { ...valid, mediaItems: [] }, nearestFieldHint(schema))).toEqual([
      'mediaItems is not a documented field',
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

describe('the days between two dates', () => {
  it('are counted with their fraction', () => {
    expect(daysBetween('2027-01-01', '2027-01-03')).toBe(2);
    expect(daysBetween('2027-01-01', '2027-01-01T12:00:00Z')).toBe(0.5);
  });

  it.each([
    [2027, '2028-01-01'],
    ['2027-01-01', 2028],
    ['soon', '2028-01-01'],
  ])('are unknown between %j and %j', (from, to) => {
    expect(daysBetween(from, to)).toBeUndefined();
  });
});

describe('a date-time without an offset', () => {
  const schema = z.object({ when: z.iso.datetime() });

  it.each(['2027-01-01T09:00', '2027-01-01T09:00:30', '2027-01-01T09:00:30.25'])('is reported: %s', (when) => {
    const paths: (readonly (string | number)[])[] = [];
    toWire(schema, { when }, (path) => paths.push(path));
    expect(paths).toEqual([['when']]);
  });

  it.each(['2027-01-01T09:00:30.Z', '2027-01-01T09:00Z', '2027-01-01T09:00:30.25+02:00', 'x2027-01-01T09:00'])(
    'is not %s',
    (when) => {
      const paths: (readonly (string | number)[])[] = [];
      toWire(schema, { when }, (path) => paths.push(path));
      expect(paths).toEqual([]);
    },
  );
});
