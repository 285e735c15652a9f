import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, jsonCopy, parseJson } from '../../src/core/json.js';

describe('parseJson', () => {
  it('returns the same as JSON.parse, for any JSON without __proto__ keys', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6 }).filter((text) => !text.includes('__proto__')),
        (text) => {
          expect(parseJson(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it.each(['', '{', '"a', '[1,]', 'nope', '{"a":1}x'])('throws a SyntaxError for %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each([
    ['at the top', '{"__proto__":{"polluted":1},"a":1}', { a: 1 }],
    ['in an array', '[{"__proto__":1,"a":1}]', [{ a: 1 }]],
    ['deep down', '{"a":{"b":[{"c":{"__proto__":[]}}]}}', { a: { b: [{ c: {} }] } }],
    ['in escapes, small letters', '{"\\u005f_proto__":{"polluted":1}}', {}],
    ['in escapes, capital letters', '{"_\\u005Fproto__":{"polluted":1}}', {}],
    ['in an escaped letter', '{"__\\u0070roto__":{"polluted":1}}', {}],
    [
      'in escapes all through',
      `{"${Array.from('__proto__', (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')}":1}`,
      {},
    ],
  ])('drops a __proto__ key %s', (_, text, expected) => {
    const value = parseJson(text);
    expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
    expect((Object.assign({}, value) as { polluted?: number }).polluted).toBeUndefined();
  });

  it('keeps __proto__ where it is a value', () => {
    expect(parseJson('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it('keeps the keys constructor and prototype, which no copy can trip over', () => {
    expect(parseJson('{"constructor":1,"prototype":2}')).toEqual({ constructor: 1, prototype: 2 });
  });

  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const deepObject = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

  it('takes JSON of 500 levels and refuses 501', () => {
    expect(() => parseJson(deep(500))).not.toThrow();
    expect(() => parseJson(deepObject(500))).not.toThrow();
    expect(() => parseJson(deep(501))).toThrow(SyntaxError);
    expect(() => parseJson(deepObject(501))).toThrow(SyntaxError);
  });

  it('counts levels, not brackets', () => {
    expect(() => parseJson(`[${'[],{},'.repeat(600)}${deep(499)}]`)).not.toThrow();
    expect(() => parseJson(`[${'[],{},'.repeat(600)}${deep(500)}]`)).toThrow(SyntaxError);
  });

  it.each([deep(100_000), deepObject(100_000), '['.repeat(1_000_000)])('refuses JSON of 100,000 levels', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('takes many brackets that are not deep, in strings and side by side', () => {
    const inString = JSON.stringify({ a: `${'['.repeat(2000)}\\"${'{'.repeat(2000)}"` });
    expect(parseJson(inString)).toEqual(JSON.parse(inString));
    const sideBySide = `[${Array(2000).fill('[{}]').join()}]`;
    expect(parseJson(sideBySide)).toEqual(JSON.parse(sideBySide));
  });

  it('is not led astray by quotes and backslashes before real depth', () => {
    for (const string of ['"\\\\"', '"\\""', '"\\\\\\""', '"]]]]"']) {
      expect(() => parseJson(`[${string},${deep(501)}]`)).toThrow(SyntaxError);
      expect(() => parseJson(`[${string},${deep(499)}]`)).not.toThrow();
    }
  });

  it('walks a wide and hostile document without overflowing', () => {
    const text = `[${Array(50_000).fill('{"\\u005f_proto__":1}').join()}]`;
    expect((parseJson(text) as object[]).every((item) => Object.keys(item).length === 0)).toBe(true);
  });
});

describe('canonicalJson', () => {
  it('is the same in every order of keys, at any depth', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, reversed(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
    expect(canonicalJson({ b: 1, a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":1}');
  });
});

describe('jsonCopy', () => {
  const copied = (value: unknown) => {
    const mistakes: string[] = [];
    const copy = jsonCopy(value, (path, mistake) => mistakes.push(`${['body', ...path].join('.')} ${mistake}`));
    return { copy, mistakes };
  };

  it('is what JSON makes of the value, and reports nothing that JSON keeps', () => {
    const date = fc.date({ noInvalidDate: true });
    const value = fc.anything({
      values: [
        fc.boolean(),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: 'grapheme' }),
        date,
      ],
      key: fc.string({ unit: 'grapheme' }).filter((key) => !['__proto__', 'toJSON', 'pipe'].includes(key)),
      maxDepth: 4,
    });
    fc.assert(
      fc.property(value, (any) => {
        const { copy, mistakes } = copied(any);
        expect(mistakes).toEqual([]);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(any));
      }),
    );
  });

  it('reports each value that JSON would change or drop, with its path', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const value = { a: [NaN, () => 1, 1n], b: new Map(), c: new Date(NaN), d: 'a\ud83d', e: circle, f: undefined };
    expect(copied(value).mistakes).toEqual([
      'body.a.0 must be a finite number',
      'body.a.1 must be JSON, not a function',
      'body.a.2 must be JSON, not a bigint',
      'body.b must be JSON, not a Map. Pass Object.fromEntries(map)',
      'body.c must be a valid Date',
      expect.stringMatching(/^body\.d must not contain half of a character/),
      'body.e.self must not contain itself',
    ]);
  });
});
