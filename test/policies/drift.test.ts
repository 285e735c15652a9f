import { beforeEach, describe, expect, it } from 'vitest';
import type { ResponseError } from '../../src/core/errors.js';
import { responseOf } from '../../src/core/call/response.js';
import type { DriftInfo } from '../../src/core/call/hooks.js';
import { json, reply, WireServer } from '../support/wire-server.js';
import { rejection, testClient } from './client.js';

let server: WireServer;
let body: unknown;
let status: number;

let drifts: Omit<DriftInfo, 'callId' | 'host' | 'method'>[];

const onDrift = ({ callId, host, method, ...drift }: DriftInfo) => {
  expect(callId).not.toBe('');
  expect(drift.route.split(' ')[0]).toBe(method);
  expect(host).toBe(new URL(server.url).host);
  drifts.push(drift);
};

beforeEach(async () => {
  drifts = [];
  status = 200;
  server = await WireServer.start(() => json(body, status));
});

const posts = (count: number, fields: object) =>
  Array.from({ length: count }, (_, index) => ({ postId: `post_${String(index)}`, ...fields }));

describe('onDrift', () => {
  it('is reported for an undocumented null, once per route and path and not once per item', async () => {
    body = {
      success: true,
      total: 100,
      posts: posts(100, { timezone: null, platforms: [{ status: null }, { status: null }] }),
    };
    const { client } = testClient(server.url, { hooks: { onDrift } });
    const page = await client.posts.list({ limit: 100 });
    expect(drifts).toEqual([
      { route: 'GET /v1/posts/', path: 'posts.*.timezone', expected: 'string', received: 'null' },
      { route: 'GET /v1/posts/', path: 'posts.*.platforms.*.status', expected: 'string', received: 'null' },
    ]);
    // And it reads as missing.
    expect(page.items[0]).toEqual({ postId: 'post_0', platforms: [{}, {}] });

    await client.posts.list();
    await client.withOptions({ maxRetries: 0 }).posts.list();
    expect(drifts).toHaveLength(2);
  });

  it('is reported again for another route', async () => {
    body = { success: true, total: null, posts: [], integrations: [] };
    const { client } = testClient(server.url, { hooks: { onDrift } });
    await client.posts.list();
    await client.integrations.list();
    expect(drifts.map(({ route, path }) => [route, path])).toEqual([
      ['GET /v1/posts/', 'total'],
      ['GET /v1/connect/integrations', 'total'],
    ]);
  });

  it('is reported for a missing success', async () => {
    body = { posts: [], total: 0 };
    await testClient(server.url, { hooks: { onDrift } }).client.posts.list();
    expect(drifts).toEqual([{ route: 'GET /v1/posts/', path: 'success', expected: 'true', received: 'undefined' }]);
  });

  it('is not reported for allowed replies: missing and unknown fields, new values, a null profile, any free form', async () => {
    body = {
      success: true,
      total: 1,
      posts: [
        {
          postId: 'post_1',
          status: 'archived',
          brandNew: null,
          rawRequestBody: { a: null },
          platforms: [{ platform: 'myspace' }],
        },
      ],
      integrations: [{ id: 'int_1', profileId: null, platformMetadata: { a: null, b: [null] } }],
    };
    const { client } = testClient(server.url, { hooks: { onDrift } });
    await client.posts.list();
    await client.integrations.list();
    await client.request('GET /v1/anything');
    expect(drifts).toEqual([]);
  });

  it('is not reported for an unreadable reply, or for an error body', async () => {
    const { client } = testClient(server.url, { hooks: { onDrift } });
    body = { success: true, total: null, posts: 'none' };
    expect(await rejection(client.posts.list())).toMatchObject({ name: 'ResponseError' });
    status = 400;
    body = { success: null, message: null, posts: null };
    expect(await rejection(client.posts.list())).toMatchObject({ name: 'ApiError' });
    expect(drifts).toEqual([]);
  });

  it('breaks no call where it throws or rejects', async () => {
    body = { success: true, total: null, posts: [] };
    const throws = () => {
      throw new Error('broken');
    };
    const rejects = () => Promise.reject(new Error('broken'));
    for (const hook of [throws, rejects]) {
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- what a caller may well do
      const page = await testClient(server.url, { hooks: { onDrift: hook } }).client.posts.list();
      expect(page.items).toEqual([]);
    }
  });

  it('remembers a bounded number of places, however many names a free reply makes up', async () => {
    const metrics = (from: number) =>
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${String(from + index)}`, null]));
    const { client } = testClient(server.url, { hooks: { onDrift } });
    for (let from = 0; from < 5_000; from += 1_000) {
      body = { success: true, metrics: metrics(from) };
      await client.analytics.getInstagramInsights({ accountId: 'int_1' });
    }
    expect(drifts.length).toBeGreaterThan(0);
    expect(drifts.length).toBeLessThanOrEqual(1_000);
  });
});

describe("responseOf's body", () => {
  it('is the JSON as it arrived, nulls included, whatever the client or the caller does with the result', async () => {
    body = {
      success: true,
      total: null,
      posts: [{ postId: 'post_1', timezone: null, rawRequestBody: { a: null }, platforms: [{ status: null }] }],
    };
    const { client } = testClient(server.url);
    const page = await client.posts.list();
    expect(page.response).toEqual({
      success: true,
      posts: [{ postId: 'post_1', rawRequestBody: { a: null }, platforms: [{}] }],
    });
    page.response.posts[0]?.platforms?.push({ status: 'mine' });
    const info = responseOf(page);
    expect(info?.body).toEqual(body);
    expect(info?.body).toBe(responseOf(page)?.body);
    expect({ ...info }.body).toBe(info?.body);
  });

  it('is so for the list of no documented shape', async () => {
    body = { success: true, results: [{ postId: 'post_1', content: null }] };
    const page = await testClient(server.url).client.analytics.listPosts();
    expect(page.items).toEqual([{ postId: 'post_1' }]);
    expect(responseOf(page)?.body).toEqual(body);
  });
});

describe('strictResponses', () => {
  const strict = () => testClient(server.url, { strictResponses: true, hooks: { onDrift } }).client;

  it('turns a drift into a ResponseError that lists each place once, and does not report a drift', async () => {
    body = { total: 100, posts: posts(100, { timezone: null }) };
    const error = (await rejection(strict().posts.list())) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError', status: 200, outcome: 'unknown' });
    expect(error.issues).toEqual([
      { path: ['success'], message: 'success is documented as true, but arrived as undefined' },
      { path: ['posts', '*', 'timezone'], message: 'posts.*.timezone is documented as string, but arrived as null' },
    ]);
    expect(JSON.parse(error.rawBody)).toEqual(body);
    expect(drifts).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('has a message of bearable length, however many places differ', async () => {
    body = {
      success: true,
      metrics: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${String(index)}`, null])),
    };
    const error = (await rejection(strict().analytics.getInstagramInsights({ accountId: 'int_1' }))) as ResponseError;
    expect(error.issues).toHaveLength(5_000);
    expect(error.message.length).toBeLessThan(1_000);
    expect(error.message).toContain('4995 more');
  });

  it('throws at every call, not only at the first', async () => {
    body = { success: true, total: null, posts: [] };
    const client = strict();
    for (let call = 0; call < 2; call += 1)
      expect(await rejection(client.posts.list())).toMatchObject({ name: 'ResponseError' });
  });

  it('accepts documented replies', async () => {
    body = {
      success: true,
      total: 1,
      posts: [{ postId: 'post_1', status: 'archived', brandNew: null, rawRequestBody: { a: null } }],
    };
    await strict().posts.list();
  });

  it('never judges an error body', async () => {
    for (const [code, errorBody, name] of [
      [400, { message: null, success: null, posts: null }, 'ApiError'],
      [429, null, 'RateLimitError'],
      [500, [], 'ServerError'],
      [200, { success: false, message: null }, 'ApiError'],
    ] as const) {
      status = code;
      body = errorBody;
      expect(await rejection(strict().posts.list({}, { maxRetries: 0 }))).toMatchObject({ name, status: code });
    }
  });

  it('never judges a reply to request', async () => {
    body = { success: null, anything: null };
    expect(await strict().request('GET /v1/anything')).toEqual(body);
  });
});

describe('the message of a refusal', () => {
  const messageOf = async (value: unknown) => {
    status = 400;
    body = value;
    return (await rejection(testClient(server.url).client.posts.list())) as { message: string; form: string };
  };

  it.each([
    [{ success: false, message: 'No such account.' }, 'message', ': No such account.'],
    [{ error: 'No such account' }, 'error', ': No such account.'],
    [{ success: false, message: 'Both', error: 'forms' }, 'message', ': Both.'],
    [{ success: false, message: { code: 5 } }, 'other', ': {"success":false,"message":{"code":5}}.'],
    [{ message: ['a', 'b'] }, 'other', ': {"message":["a","b"]}.'],
    [{ error: { message: 'nested' } }, 'other', ': {"error":{"message":"nested"}}.'],
    [{ success: false, message: '' }, 'message', ' status 400.'],
    [null, 'other', ': null.'],
    [[], 'other', ': [].'],
    ['just a text', 'other', ': just a text.'],
    [{ message: 'with\r\nlines\u0000and \u001b[31mcolour' }, 'message', ': with lines and  [31mcolour.'],
  ])('of %j has the form %s', async (value, form, end) => {
    const error = await messageOf(value);
    expect(error.form).toBe(form);
    expect(error.message.endsWith(end)).toBe(true);
    expect(error.message).not.toContain('[object Object]');
  });

  it('takes at most 200 characters of a body in no known form', async () => {
    const error = await messageOf({ detail: 'x'.repeat(5_000) });
    expect(/: (\{.*)\.$/.exec(error.message)?.[1]).toHaveLength(200);
  });

  it('takes a snippet of a page', async () => {
    const pages = await WireServer.start(() => reply({ status: 404, body: `<html>${'é'.repeat(500)}` }));
    const error = (await rejection(testClient(pages.url).client.posts.list())) as { message: string; body: unknown };
    expect(/: (<html>.*)\.$/.exec(error.message)?.[1]).toHaveLength(200);
    expect(error.body).toHaveLength(506);
  });
});
