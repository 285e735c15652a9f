import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { halfCharacter } from '../../src/core/json.js';
import type { RequestOptions } from '../../src/core/call/transport.js';
import { rejection, testClient } from '../policies/client.js';

/** Sends a request to a recorded `fetch`. Returns the sent body, or the issues of a refused call. */
async function send(route: string, body: unknown, options: RequestOptions = {}) {
  const sent: (string | null)[] = [];
  const { client } = testClient('https://api.test', {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.body === null ? null : await request.text());
      return Response.json({ success: true, postId: 'post_1' });
    },
  });
  try {
    await client.request(route, { body }, options);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
    return (error as InvalidRequestError).issues;
  }
  return sent[0];
}

const file = 'The API document shows no upload of files: send the URL of a file';
const text = 'Pass text, or parse its JSON first';
const kinds = [
  [new FormData(), 'a FormData. Pass an object of fields'],
  [new URLSearchParams(), 'URLSearchParams. Pass Object.fromEntries(params), or send them as `query`'],
  [new Blob([]), `a Blob. ${file}`],
  [new File([], 'a.txt'), `a File. ${file}`],
  [new Map(), 'a Map. Pass Object.fromEntries(map)'],
  [new Set(), 'a Set. Pass [...set]'],
  [new ArrayBuffer(1), `an ArrayBuffer. ${text}`],
  [new SharedArrayBuffer(1), `a SharedArrayBuffer. ${text}`],
  [new Uint8Array(1), `binary data. ${text}`],
  [new DataView(new ArrayBuffer(1)), `binary data. ${text}`],
  [Buffer.from('x'), `binary data. ${text}`],
  [new ReadableStream(), 'a stream. Read it first'],
  [{ pipe: () => undefined }, 'a stream. Read it first'],
  [{ toJSON: () => new Set() }, 'a Set. Pass [...set]'],
  [runInNewContext('new Set()'), 'a Set. Pass [...set]'],
  [runInNewContext('new Map()'), 'a Map. Pass Object.fromEntries(map)'],
  [process.stdin, 'a stream. Read it first'],
].map(([value, message]): [unknown, string] => [value, `must be JSON, not ${String(message)}`]);

/** What JSON would write as null, leave out, or cut to nothing. */
const values: [unknown, string][] = [
  [Number.NaN, 'must be a finite number'],
  [-Infinity, 'must be a finite number'],
  [new Date(Number.NaN), 'must be a valid Date'],
  [() => undefined, 'must be JSON, not a function'],
  [Symbol('a'), 'must be JSON, not a symbol'],
  [1n, 'must be JSON, not a bigint'],
  [{ toJSON: () => expect.unreachable() }, 'must be JSON, but reading it throws an error'],
  [/a/, 'must be a plain object, not a RegExp'],
  ['cut \ud83d', halfCharacter],
];

describe('a body that JSON cannot hold', () => {
  it.each([...kinds, ...values])('is refused, and named by its path: %o', async (value, message) => {
    const issue = (...path: (string | number)[]) => [{ path, message: `${path.join('.')} ${message}` }];
    expect(await send('POST /v1/x', value)).toEqual(issue('body'));
    expect(await send('POST /v1/x', { list: [{ value }] })).toEqual(issue('body', 'list', 0, 'value'));
    expect(await send('POST /v1/x', { a: 1 }, { extraBody: { value } })).toEqual(issue('extraBody', 'value'));
    const inner = { extraBody: { inner: { value } } };
    expect(await send('POST /v1/x', undefined, inner)).toEqual(issue('extraBody', 'inner', 'value'));
  });

  it('is refused if it contains itself', async () => {
    const loop: Record<string, unknown> = {};
    loop['inner'] = [loop];
    const issue = (path: string) => [{ path: [path, 'inner', 0], message: `${path}.inner.0 must not contain itself` }];
    expect(await send('POST /v1/x', loop)).toEqual(issue('body'));
    expect(await send('POST /v1/x', { a: 1 }, { extraBody: loop })).toEqual(issue('extraBody'));
  });

  it('is refused with all its mistakes at once', async () => {
    const issues = await send('POST /v1/x', { a: Number.NaN }, { extraBody: { b: [1n], 'c\ud83d': 'd' } });
    expect(issues).toMatchObject([
      { path: ['body', 'a'] },
      { path: ['extraBody', 'b', 0] },
      { path: ['extraBody', 'c\ud83d'] },
    ]);
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function returnsThis(this: unknown): unknown {
  return this;
}

describe('a body', () => {
  it.each<[unknown, string | null]>([
    [undefined, null],
    [null, 'null'],
    [[1, { a: null }], '[1,{"a":null}]'],
    ['abc', '"abc"'],
    [5, '5'],
    [{ at: new Date(0), url: new URL('https://x.test') }, '{"at":"1970-01-01T00:00:00.000Z","url":"https://x.test/"}'],
    [[], '[]'],
    [{}, '{}'],
    [{ pipe: 'a word' }, '{"pipe":"a word"}'],
    [{ toJSON: () => 'own' }, '"own"'],
    [{ list: [undefined, 1], none: undefined }, '{"list":[null,1]}'],
    [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
    // JSON calls toJSON() once.
    [{ a: 1, toJSON: returnsThis }, '{"a":1}'],
    [{ toJSON: () => ({ a: 1, toJSON: () => 'again' }) }, '{"a":1}'],
    [[new String('a'), new Number(1), new Boolean(false)], '["a",1,false]'],
    [{ a: 1, [Symbol.toStringTag]: 'Thing' }, '{"a":1}'],
    [Object.assign(() => undefined, { toJSON: () => 'a' }), '"a"'],
  ])('is sent as JSON: %o', async (body, sent) => {
    expect(await send('POST /v1/x', body)).toBe(sent);
  });

  it('gets the fields of extraBody, which override its own', async () => {
    expect(await send('POST /v1/x', { a: 1, b: 1 }, { extraBody: { b: 2, c: 2 } })).toBe('{"a":1,"b":2,"c":2}');
    expect(await send('POST /v1/x', undefined, { extraBody: { c: 2 } })).toBe('{"c":2}');
  });

  it('is sent as it was checked: each field is read once', async () => {
    const counting = () => {
      let reads = 0;
      return {
        get a() {
          reads += 1;
          return reads === 1 ? 1 : Number.NaN;
        },
      };
    };
    expect(await send('POST /v1/x', counting())).toBe('{"a":1}');
    expect(await send('POST /v1/x', undefined, { extraBody: counting() })).toBe('{"a":1}');
    expect(await send('POST /v1/x', { a: 1 }, { extraBody: { a: undefined } })).toBe('{"a":1}');
  });

  it.each<[string, unknown]>([
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('The caller’s own.');
        },
      },
    ],
    ['a revoked proxy', revoked()],
    ['a toJSON() that returns nothing', { toJSON: () => undefined }],
    ['600 levels', JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`)],
  ])('is refused if JSON cannot be read from it: %s', async (_, body) => {
    const issues = (await send('POST /v1/x', body)) as unknown as InvalidRequestError['issues'];
    expect(issues).toMatchObject([{ message: expect.stringMatching(/^body(\.a)? must/) as string }]);
    expect(issues[0]?.message.length).toBeLessThan(100);
  });

  it('of texts is sent where a library gives texts a toJSON()', async () => {
    const prototype = String.prototype as { toJSON?: unknown };
    prototype.toJSON = () => expect.unreachable();
    try {
      expect(await send('POST /v1/x', { a: 'b' })).toBe('{"a":"b"}');
    } finally {
      delete prototype.toJSON;
    }
  });

  it.each([[[1]], ['text'], [null]])('must be an object of fields beside extraBody: %o', async (body) => {
    const message = 'extraBody needs a body that is an object of fields';
    expect(await send('POST /v1/x', body, { extraBody: { a: 1 } })).toEqual([{ path: ['extraBody'], message }]);
  });

  it.each(['GET', 'HEAD'])('must be omitted for %s', async (method) => {
    const issue = (name: string) => ({
      path: [name],
      message: `${name} must be omitted: a ${method} request has no body`,
    });
    expect(await send(`${method} /v1/x`, { a: 1 })).toEqual([issue('body')]);
    expect(await send(`${method} /v1/x`, undefined, { extraBody: { a: 1 } })).toEqual([issue('extraBody')]);
  });

  it('is not sent with a GET without one', async () => {
    expect(await send('GET /v1/x', undefined)).toBeNull();
  });

  it('of a documented operation is refused if extraBody holds another kind', async () => {
    const { client } = testClient('https://api.test', { fetch: () => Promise.reject(new Error('not called')) });
    const create = client.posts.create({ content: 'x', saveAsDraft: true }, { extraBody: { tags: new Set() } });
    expect(await rejection(create)).toMatchObject({
      issues: [{ path: ['extraBody', 'tags'], message: 'extraBody.tags must be JSON, not a Set. Pass [...set]' }],
    });
  });
});
