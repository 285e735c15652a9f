import { inspect, isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { responseOf, setResponse, type ResponseInfo } from '../../src/core/call/response.js';

const info = (status = 200): ResponseInfo => ({
  status,
  headers: new Headers(),
  url: 'https://api.test/',
  attempts: 1,
  body: {},
});

describe('responseOf', () => {
  test('knows the reply of an object, and nothing of its copies', () => {
    const post = setResponse({ postId: 'a' }, info());
    expect(responseOf(post)?.status).toBe(200);
    expect(responseOf({ ...post })).toBeUndefined();
    expect(responseOf(structuredClone(post))).toBeUndefined();
    expect(responseOf({})).toBeUndefined();
  });

  test('leaves no trace in the object', () => {
    const post = setResponse({ postId: 'a' }, info());
    expect(Reflect.ownKeys(post)).toEqual(['postId']);
    expect(inspect(post, { showHidden: true })).toBe("{ postId: 'a' }");
    expect(isDeepStrictEqual(post, { postId: 'a' })).toBe(true);
  });

  test.each([
    ['a frozen object', () => Object.freeze({ a: 1 })],
    ['a function', () => Object],
    ['an array', () => [1]],
    ['an object without a prototype', () => Object.create(null) as object],
  ])('takes %s', (_, make) => {
    const result = setResponse(make(), info());
    expect(responseOf(result)?.status).toBe(200);
  });

  test('returns the last reply of an object that occurred twice', () => {
    const once = {};
    setResponse(once, info(200));
    setResponse(once, info(201));
    setResponse(once, info(202));
    expect(responseOf(once)?.status).toBe(202);
  });

  test('ignores values that are not objects', () => {
    expect(setResponse('text', info())).toBe('text');
    expect(setResponse<unknown>(undefined, info())).toBeUndefined();
    expect(setResponse(null, info())).toBeNull();
  });

  test.each([undefined, null, 'text', 5, true])('returns undefined for %j, which is not an object', (value) => {
    expect(responseOf(value as unknown as object)).toBeUndefined();
  });

  test('keeps a reply for as long as something of it is kept, and no longer', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { kept, replies } = (() => {
      const all = [info(201), info(202)];
      const items = all.map((reply) => setResponse({}, reply));
      return { kept: items[0] ?? {}, replies: all.map((reply) => new WeakRef(reply)) };
    })();
    await new Promise((resolve) => setTimeout(resolve, 0));
    collect();
    expect(responseOf(kept)?.status).toBe(201);
    expect(replies.map((reply) => reply.deref()?.status)).toEqual([201, undefined]);
  });
});
