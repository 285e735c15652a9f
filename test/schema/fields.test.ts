import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { safeParse } from '../../src/schema/check.js';
import * as s from '../../src/schema/fields.js';

/** Returns the messages about a value; `[]` if it is valid. */
function messages(schema: z.ZodMiniType, value: unknown): string[] {
  const result = safeParse(schema, value);
  return result.success ? [] : result.error.issues.map(({ message }) => message);
}

const isValid = (schema: z.ZodMiniType, value: unknown) => safeParse(schema, value).success;

describe('once', () => {
  it('builds on first use only, even a value of undefined', () => {
    let built = 0;
    const lazy = s.once((): number | undefined => {
      built += 1;
      return undefined;
    });
    expect(built).toBe(0);
    expect([lazy(), lazy()]).toEqual([undefined, undefined]);
    expect(built).toBe(1);
  });
});

describe('a date-time of a request', () => {
  it.each(['2027-01-01T09:00:00Z', '2027-01-01T09:00:00.123+05:30', '2027-01-01T09:00:00'])('may be %s', (text) => {
    expect(messages(s.dateTime(), text)).toEqual([]);
  });

  it.each([
    ['2027-01-01', "must be an ISO 8601 date-time string with seconds, such as '2026-03-01T09:00:00Z', or a Date"],
    [
      '2027-01-01T09:30Z',
      "must be an ISO 8601 date-time string with seconds, such as '2026-03-01T09:00:00Z', or a Date",
    ],
    [null, "must be an ISO 8601 date-time string with seconds, such as '2026-03-01T09:00:00Z', or a Date"],
    [
      5,
      "must be an ISO 8601 date-time string with seconds, such as '2026-03-01T09:00:00Z', or a Date; pass milliseconds as new Date(n)",
    ],
    ['2027-02-29T09:00:00Z', 'names a day that does not exist: 2027-02 has 28 days'],
  ])('must not be %j', (value, message) => {
    expect(messages(s.dateTime(), value)).toEqual([message]);
  });
});

describe('an ID that can be null', () => {
  it.each(['a', null])('may be %j', (value) => {
    expect(messages(s.idOrNull(), value)).toEqual([]);
  });

  it('says so about another value', () => {
    expect([undefined, 5].map((value) => messages(s.idOrNull(), value))).toEqual(
      Array(2).fill(['must be a string, or null']),
    );
    expect(messages(s.idOrNull(), '')).not.toContain('must be a string, or null');
    expect(isValid(s.idOrNull(), '')).toBe(false);
  });
});

describe('a date of a request', () => {
  it('is a day that exists', () => {
    expect(messages(s.date(), '2028-02-29')).toEqual([]);
    expect(messages(s.date(), '2027-02-29')).toEqual(['names a day that does not exist: 2027-02 has 28 days']);
    expect(messages(s.date(), '2027-01-01T09:00:00Z')).toEqual(["must be a calendar day as 'YYYY-MM-DD', or a Date"]);
    expect(messages(s.date(), 5)).toEqual([
      "must be a calendar day as 'YYYY-MM-DD', or a Date; pass milliseconds as new Date(n)",
    ]);
  });
});

describe('an enumeration', () => {
  it('of a request is closed', () => {
    expect(isValid(s.oneOf(['a', 'b']), 'b')).toBe(true);
    expect(isValid(s.oneOf(['a', 'b']), 'c')).toBe(false);
  });

  it('of a reply is open, and shows the known values in documents', () => {
    const open = s.open(['a', 'b']);
    expect(isValid(open, 'c')).toBe(true);
    expect(isValid(open, 1)).toBe(false);
    expect(z.toJSONSchema(open)).toMatchObject({ type: 'string', examples: ['a', 'b'] });
  });
});

describe('shared fields', () => {
  const values = [undefined, null, '', 'a', 0, 1, -1, 1.5, 100, 101, true, [], ['a'], [1], {}, { a: 1 }];

  it.each<[string, () => z.ZodMiniType, unknown[]]>([
    ['id', s.id, ['a']],
    ['optionalString', s.optionalString, [undefined, '', 'a']],
    ['optionalReplyDateTime', s.optionalReplyDateTime, [undefined, '', 'a']],
    ['optionalNumber', s.optionalNumber, [undefined, 0, 1, -1, 1.5, 100, 101]],
    ['optionalInteger', s.optionalInteger, [undefined, 0, 1, -1, 1.5, 100, 101]],
    ['optionalBoolean', s.optionalBoolean, [undefined, true]],
    ['optionalStrings', s.optionalStrings, [undefined, [], ['a']]],
    ['optionalFreeForm', s.optionalFreeForm, [undefined, {}, { a: 1 }]],
    ['optionalLimit', s.optionalLimit, [undefined, 1, 100]],
    ['optionalFromZero', s.optionalFromZero, [undefined, 0, 1, 100, 101]],
  ])('%s', (_, field, valid) => {
    expect(values.filter((value) => isValid(field(), value))).toEqual(valid);
  });

  it('a free-form field keeps all its fields, and so does a reply', () => {
    expect(safeParse(s.optionalFreeForm(), { a: 1 })).toEqual({ success: true, data: { a: 1 } });
    expect(safeParse(s.reply({ a: s.optionalNumber() }), { a: 1, b: 2 })).toEqual({
      success: true,
      data: { a: 1, b: 2 },
    });
  });

  it('every reply may say whether it succeeded', () => {
    const envelope = s.envelope({});
    expect([{}, { success: false }, { success: 'no' }].map((reply) => isValid(envelope, reply))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a rule over several fields', () => {
  const schema = z.looseObject({ a: z.optional(z.string()) }).check(
    s.rule<Record<string, unknown>>(({ b }, fail) => {
      if (b === undefined) fail(['b', 0], 'must be there');
    }),
    z.refine(({ a }) => a !== 'x', 'is x'),
  );
  const issues = (value: unknown) => {
    const result = safeParse(schema, value);
    return result.success ? [] : result.error.issues.map(({ code, path, message }) => [code, path, message]);
  };

  it('reports a path in the object with its message', () => {
    expect(issues({ b: 1 })).toEqual([]);
    expect(issues({})).toEqual([['custom', ['b', 0], 'must be there']]);
  });

  it('runs too if a field is invalid, and does not stop later rules', () => {
    expect(issues({ a: 5 })).toEqual([
      ['invalid_type', ['a'], 'Invalid input'],
      ['custom', ['b', 0], 'must be there'],
    ]);
    expect(issues({ a: 'x' })).toEqual([
      ['custom', ['b', 0], 'must be there'],
      ['custom', [], 'is x'],
    ]);
  });

  it.each([null, undefined, 'text', 5])('does not run for a value without fields: %j', (value) => {
    expect(issues(value)).toEqual([['invalid_type', [], 'Invalid input']]);
  });

  it('keeps the path that it reported, even if the rule changes its array later', () => {
    const reused: string[] = ['a'];
    const reusing = z.looseObject({}).check(
      s.rule((_value, fail) => {
        fail(reused, 'is wrong');
        reused[0] = 'b';
      }),
    );
    expect(safeParse(reusing, {})).toMatchObject({ error: { issues: [{ path: ['a'] }] } });
  });
});
