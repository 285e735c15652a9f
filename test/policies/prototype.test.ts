import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiError, ResponseError } from '../../src/core/errors.js';
import { responseOf } from '../../src/core/call/response.js';
import { reply, WireServer } from '../support/wire-server.js';
import { rejection, testClient, type TestClient } from './client.js';

/** `__proto__` in the forms that JSON allows. */
const spellings = [
  '__proto__',
  '\\u005f\\u005fproto__',
  '__prot\\u006F__',
  '\\u005F_\\u0070\\u0072\\u006f\\u0074\\u006f__',
];
const evil = '{"polluted":true,"toString":"x","length":9}';

let server: WireServer;
let sdk: TestClient;
let body: string;
let status: number;

beforeEach(async () => {
  status = 200;
  server = await WireServer.start(() => reply({ status, body }));
  sdk = testClient(server.url, { hooks: { onDrift: () => {} } });
});

function objectsIn(value: unknown, found: object[] = []): object[] {
  if (typeof value !== 'object' || value === null || found.includes(value)) return found;
  found.push(value);
  for (const inner of Object.values(value)) objectsIn(inner, found);
  return found;
}

function expectClean(value: unknown): void {
  const objects = objectsIn(value);
  expect(objects.length).toBeGreaterThan(0);
  for (const object of objects) {
    expect(Object.hasOwn(object, '__proto__')).toBe(false);
    expect([Object.prototype, Array.prototype, null]).toContain(Object.getPrototypeOf(object));
    // Copied as programs copy, it does no harm either.
    const copy: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(object)) copy[name] = inner;
    expect(copy['polluted']).toBeUndefined();
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
}

describe.each(spellings)('"%s" in a reply reaches no object that a caller gets', (name) => {
  const bad = `"${name}":${evil}`;
  const post = `{"postId":"post_1",${bad},"rawRequestBody":{${bad},"deep":[{${bad}}]},"platforms":[{${bad},"platform":"bluesky"}]}`;

  it('in a list, its items and their free-form fields', async () => {
    body = `{${bad},"success":true,"total":1,"posts":[${post}]}`;
    const page = await sdk.client.posts.list();
    expectClean(page.response);
    expectClean(page.items);
    expectClean(responseOf(page)?.body);
    expect(page.items[0]).toEqual({
      postId: 'post_1',
      rawRequestBody: { deep: [{}] },
      platforms: [{ platform: 'bluesky' }],
    });
  });

  it('in the metadata of an integration, next to a null that counts as missing', async () => {
    body = `{"success":true,"integration":{"id":"int_1",${bad},"username":null,"platformMetadata":{${bad},"a":{${bad}}}}}`;
    const integration = await sdk.client.integrations.get('int_1');
    expectClean(integration);
    expect(integration).toEqual({ id: 'int_1', platformMetadata: { a: {} } });
  });

  it('as the name of a metric', async () => {
    body = `{"success":true,"metrics":{${bad},"reach":{"total":1,${bad}},"views":null}}`;
    const insights = await sdk.client.analytics.getInstagramInsights({ accountId: 'int_1' });
    expectClean(insights);
    expect(insights.metrics).toEqual({ reach: { total: 1 } });
  });

  it('in the list of post analytics, whose shape is not documented', async () => {
    body = `{"success":true,${bad},"results":[{"postId":"post_1",${bad}}],"__proto__":[{"postId":"evil"}]}`;
    const page = await sdk.client.analytics.listPosts();
    expectClean(page.response);
    expect(page.items).toEqual([{ postId: 'post_1' }]);
  });

  it('in a reply to request', async () => {
    body = `[{${bad},"a":[[{${bad}}]]}]`;
    const value = await sdk.client.request('GET /v1/anything');
    expectClean(value);
    expect(value).toEqual([{ a: [[{}]] }]);
  });

  it('in an error body', async () => {
    status = 400;
    body = `{${bad},"success":false,"message":"No","details":{${bad}}}`;
    const error = (await rejection(sdk.client.integrations.get('int_1'))) as ApiError;
    expectClean(error.body);
    expect(error.message).toContain('No');
  });

  it('as the only key of a reply: the reply has no documented field', async () => {
    body = `{"${name}":{"posts":[],"success":true,"postId":"post_1"}}`;
    const error = (await rejection(sdk.client.posts.list())) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(await rejection(sdk.client.posts.create({ content: 'Hello', saveAsDraft: true }))).toMatchObject({
      name: 'ResponseError',
    });
  });
});

describe('other special names are kept as plain data', () => {
  it('constructor, prototype, toString, hasOwnProperty', async () => {
    body =
      '{"success":true,"total":1,"posts":[{"postId":"post_1","constructor":{"prototype":{"polluted":true}},"hasOwnProperty":1,' +
      '"toString":"x","rawRequestBody":{"constructor":{"prototype":{"polluted":true}}}}]}';
    const page = await sdk.client.posts.list();
    expect(page.items).toHaveLength(1);
    expect(Object.hasOwn(page.items[0] ?? {}, 'constructor')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('a "__proto__" inside a text stays', async () => {
    body = '{"success":true,"total":1,"posts":[{"postId":"post_1","content":"a \\"__proto__\\": {}"}]}';
    const page = await sdk.client.posts.list();
    expect(page.items[0]?.content).toBe('a "__proto__": {}');
  });
});

describe('values that a caller passes on', () => {
  it('with its own "__proto__" in extraBody and extraQuery changes no prototype, and is sent unchanged', async () => {
    body = '{"success":true,"postId":"post_1"}';
    const extraBody = JSON.parse(`{"__proto__":${evil},"media":[]}`) as Record<string, unknown>;
    const extraQuery = JSON.parse('{"__proto__":"a"}') as Record<string, unknown>;
    await sdk.client.posts.create({ content: 'Hello', saveAsDraft: true }, { extraBody, extraQuery });
    expect(server.requests[0]?.path).toBe('/v1/posts/?__proto__=a');
    expect(server.requests[0]?.body).toBe(`{"content":"Hello","saveAsDraft":true,"__proto__":${evil},"media":[]}`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('JSON that is very deep', () => {
  it.each(['[', '{"a":'])('of %s is a ResponseError, and no overflow', async (open) => {
    body = open.repeat(200_000);
    expect(await rejection(sdk.client.posts.list())).toMatchObject({ name: 'ResponseError' });
    body = `{"posts":[],"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await rejection(sdk.client.posts.list())).toMatchObject({ name: 'ResponseError' });
    status = 400;
    expect(await rejection(sdk.client.posts.list())).toMatchObject({ name: 'ApiError', status: 400 });
  });
});
