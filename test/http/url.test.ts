import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/core/errors.js';
import type { PathParameter } from '../../src/core/call/endpoint.js';
import { writePath, writeQuery } from '../../src/http/request.js';

const loneSurrogate = '\ud800';

/** Returns a filled template, and its problems. */
function fill(path: string, params: Record<string, unknown>, rules: Record<string, PathParameter> = {}) {
  const issues: Issue[] = [];
  return { path: writePath(path, params, rules, issues), issues };
}
const problemWith = (id: unknown, rule?: PathParameter) => {
  const { path, issues } = fill('/v1/{id}', { id }, rule && { id: rule });
  if (issues.length === 0) return undefined;
  // An invalid part is in no path.
  expect([path, issues.length, issues[0]?.path]).toEqual(['/v1/', 1, ['id']]);
  return issues[0]?.message;
};

describe('writePath', () => {
  it('makes one segment of each parameter, in its place', () => {
    expect(fill('/v1/{a}/to/{b}/', { a: 'x/y?#%', b: 'é ü' })).toEqual({
      path: '/v1/x%2Fy%3F%23%25/to/%C3%A9%20%C3%BC/',
      issues: [],
    });
    expect(fill('/v1/posts/', {})).toEqual({ path: '/v1/posts/', issues: [] });
  });

  it('asks for every parameter, and takes none from the prototype', () => {
    expect(problemWith(undefined)).toBe('id is a required path parameter');
    expect(fill('/v1/{toString}', {}).issues).toEqual([
      { path: ['toString'], message: 'toString is a required path parameter' },
    ]);
  });

  it.each([null, 5, ['a'], {}])('accepts only strings: %j', (id) => {
    expect(problemWith(id)).toBe('id must be a string');
  });

  it('takes as many characters as the parameter may have, 1 to 512 where nothing is said', () => {
    expect([1, 512].map((length) => problemWith('x'.repeat(length)))).toEqual([undefined, undefined]);
    for (const length of [0, 513]) expect(problemWith('x'.repeat(length))).toBe('id must have 1 to 512 characters');
    const rule: PathParameter = { description: 'An ID.', minLength: 3, maxLength: 5 };
    expect(['abc', 'abcde'].map((id) => problemWith(id, rule))).toEqual([undefined, undefined]);
    for (const id of ['ab', 'abcdef']) expect(problemWith(id, rule)).toBe('id must have 3 to 5 characters');
  });

  it('takes no folder: a URL parser would leave it out', () => {
    for (const id of ['.', '..']) expect(problemWith(id)).toBe("id must not be '.' or '..'");
    for (const id of ['...', '.a', 'a.', '%2e']) expect(problemWith(id)).toBeUndefined();
  });

  it('takes no control characters and no half letters', () => {
    for (const code of [0, 0x1f, 0x7f, 0x9f]) {
      expect(problemWith(`a${String.fromCharCode(code)}`)).toBe('id must not contain control characters');
    }
    for (const id of [' ', '~', '\u00a0', '😀']) expect(problemWith(id)).toBeUndefined();
    for (const id of [loneSurrogate, `a${loneSurrogate}b`, '\udc00']) {
      expect(problemWith(id)).toBe('id must be well-formed Unicode');
    }
  });

  it.each(['.', '..', '%2e', '%2E', '%2e.', '.%2E', '%2e%2e'])('takes no folder in the template: %s', (folder) => {
    for (const path of [`/v1/${folder}/x`, `/v1/${folder}`])
      expect(fill(path, {}).issues.map(({ message }) => message)).toEqual([
        "route must not produce the path segment '.' or '..'",
      ]);
  });

  it.each(['...', 'a', '.a', 'a..', '%2e%2e%2e', '%2f', '..%2f'])('takes a name like a folder: %s', (name) => {
    expect(fill(`/v1/${name}/x`, {})).toEqual({ path: `/v1/${name}/x`, issues: [] });
  });

  it('creates no folder from a parameter and its surrounding text', () => {
    expect(fill('/v1/%2{id}/x', { id: 'e' }).issues).toEqual([
      { path: ['route'], message: "route must not produce the path segment '.' or '..'" },
    ]);
    expect(fill('/v1/%2{id}/x', { id: 'f' })).toEqual({ path: '/v1/%2f/x', issues: [] });
  });
});

function query(typed: Record<string, unknown>, extra: Record<string, unknown> = {}) {
  const issues: Issue[] = [];
  const text = writeQuery(typed, extra, issues);
  return { text, issues };
}

describe('writeQuery', () => {
  it('writes texts, numbers, booleans, dates and null', () => {
    const at = new Date('2026-03-01T12:00:00Z');
    expect(query({ a: 'x y&z', b: 5, c: false, d: at, e: null })).toEqual({
      text: '?a=x+y%26z&b=5&c=false&d=2026-03-01T12%3A00%3A00.000Z&e=null',
      issues: [],
    });
  });

  it('repeats the key of an array, and omits empty or undefined values', () => {
    expect(query({ a: ['x', undefined, 2], b: [], c: undefined })).toEqual({ text: '?a=x&a=2', issues: [] });
    expect(query({})).toEqual({ text: '', issues: [] });
    expect(query({ b: [], c: undefined }).text).toBe('');
  });

  it('merges extra values over typed values', () => {
    expect(query({ a: 1, b: 2 }, { b: 3, c: 4 }).text).toBe('?a=1&b=3&c=4');
  });

  it('writes a Date of another realm, and an instant, as a time in UTC', () => {
    const at = runInNewContext("new Date('2026-03-01T12:00:00Z')") as Date;
    const issues: Issue[] = [];
    expect(writeQuery({ at }, { from: { epochMilliseconds: at.getTime() } }, issues)).toBe(
      '?at=2026-03-01T12%3A00%3A00.000Z&from=2026-03-01T12%3A00%3A00.000Z',
    );
    expect(issues).toEqual([]);
  });

  it.each([[{}], [new Date(Number.NaN)], [Symbol('x')], [5n], [() => 'x'], [[['x']]], [['x', {}]]])(
    'writes nothing else, and says so: %o',
    (value) => {
      expect(query({ a: value }).issues).toEqual([
        { path: ['a'], message: 'a must be a string, number, boolean, Date, or an array of these' },
      ]);
    },
  );

  it('takes no half letters, in a value or in a name', () => {
    const malformed = (name: string) => [{ path: [name], message: `${name} must be well-formed Unicode` }];
    expect(query({ a: loneSurrogate }).issues).toEqual(malformed('a'));
    expect(query({ a: ['b', `x${loneSurrogate}`] }).issues).toEqual(malformed('a'));
    expect(query({ [loneSurrogate]: 'x' }).issues).toEqual(malformed(loneSurrogate));
    expect(query({ [loneSurrogate]: 5 }).issues).toEqual(malformed(loneSurrogate));
    expect(query({ '😀': '😀' })).toEqual({ text: '?%F0%9F%98%80=%F0%9F%98%80', issues: [] });
  });
});
