import { describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { outcomeOf } from '../../src/core/errors.js';
import type { ClientOptions } from '../../src/http/client-options.js';
import { rejection, testClient, testKey } from '../policies/client.js';

type Call = (client: SocialPublishing) => PromiseLike<unknown>;
const read: Call = (client) => client.posts.list();
const write: Call = (client) => client.posts.create({ content: 'Hello', saveAsDraft: true });
const insights: Call = (client) => client.analytics.getInstagramInsights({ accountId: 'int_1' });

/** Makes a call without a retry, which is answered with this reply. */
async function failed(response: () => Response, call = read, options: ClientOptions = {}) {
  const { client } = testClient('https://api.test', {
    maxRetries: 0,
    fetch: () => Promise.resolve(response()),
    ...options,
  });
  return (await rejection(call(client))) as Error & Record<string, unknown>;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

const isRead = 'It is a read, so it is safe to call again.';
const isWrite = 'It may have been executed: check before you call again.';

describe('the error of a status', () => {
  it.each([
    [400, 'ApiError'],
    [401, 'AuthenticationError'],
    [402, 'ApiError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
    [428, 'ApiError'],
    [429, 'RateLimitError'],
  ])('%d is a refusal: %s', async (status, name) => {
    const error = await failed(() => json({ success: false, message: 'No.' }, status, { 'x-a': 'b' }), write);
    expect(error).toMatchObject({
      name,
      message: `POST /v1/posts/ was refused with status ${String(status)}: No.`,
      status,
      outcome: 'rejected',
      form: 'message',
      attempts: 1,
      method: 'POST',
      route: '/v1/posts/',
      body: { success: false, message: 'No.' },
    });
    expect((error['headers'] as Headers).get('x-a')).toBe('b');
    expect('retryAfterMs' in error).toBe(false);
  });

  it.each([
    ['404', () => json({}, 404)],
    ['success: false', () => json({ success: false })],
  ])('leaves no doubt about a read that was answered with 503, then with %s', async (_, refusal) => {
    const replies = [json({}, 503), refusal()];
    const fetch = () => Promise.resolve(replies.shift() ?? json({}));
    const error = await failed(refusal, read, { maxRetries: 1, fetch });
    expect(error).toMatchObject({ outcome: 'rejected', attempts: 2 });
    expect(outcomeOf(error)).toBe('rejected');
  });

  it('leaves a doubt about a write that was answered with 503 before', async () => {
    const replies = [json({}, 503), json({}, 404)];
    const fetch = () => Promise.resolve(replies.shift() ?? json({}));
    const update: Call = (client) => client.integrations.update('int_1', { profileId: null });
    expect(await failed(() => json({}), update, { maxRetries: 1, fetch })).toMatchObject({ outcome: 'unknown' });
  });

  it.each([
    [
      409,
      'The service may already have an equal post: search for it with posts.reconcile or posts.list before you create it again.',
    ],
    [499, isWrite],
  ])('%d may have executed the call, and says what to do', async (status, advice) => {
    const error = await failed(() => json({ success: false, message: 'Duplicate post' }, status), write);
    expect(error).toMatchObject({
      name: 'ApiError',
      message: `POST /v1/posts/ was answered with status ${String(status)}: Duplicate post. ${advice}`,
      status,
      outcome: 'unknown',
      attempts: 1,
    });
  });

  it.each([500, 503, 599])('%d may have executed the call: ServerError', async (status) => {
    const boom = () => json({ error: 'Boom' }, status);
    expect(await failed(boom, write)).toMatchObject({
      name: 'ServerError',
      message: `POST /v1/posts/ was answered with status ${String(status)}: Boom. ${isWrite}`,
      outcome: 'unknown',
      form: 'error',
    });
    expect((await failed(boom)).message).toBe(
      `GET /v1/posts/ was answered with status ${String(status)}: Boom. ${isRead}`,
    );
    expect((await failed(boom, insights)).message).toBe(
      `GET /v1/analytics/instagram/account-insights was answered with status ${String(status)}: Boom. ${isRead}`,
    );
  });

  it('contains the wait that the service asks for, in whole seconds', async () => {
    const limited = (wait: string) => failed(() => json({ message: 'Slow' }, 429, { 'retry-after': wait }));
    expect(await limited('7')).toMatchObject({
      message: 'GET /v1/posts/ was refused with status 429: Slow. It asks to wait 7 s.',
      retryAfterMs: 7_000,
    });
    const soon = new Date(Date.now() + 60_000).toUTCString();
    expect((await limited(soon)).message).toMatch(/: Slow\. It asks to wait (?:[45]\d|60) s\.$/);
    for (const none of ['0', 'soon'])
      expect((await limited(none)).message).toBe('GET /v1/posts/ was refused with status 429: Slow.');
  });
});

describe('the text of the service', () => {
  const said = async (body: string) => {
    const error = await failed(() => new Response(body, { status: 400 }));
    return error.message.replace('GET /v1/posts/ was refused with status 400', '');
  };

  it('is cut after 1,000 characters, and a snippet of another body after 200', async () => {
    expect(await said(JSON.stringify({ message: 'x'.repeat(1_000) }))).toBe(`: ${'x'.repeat(1_000)}.`);
    expect(await said(JSON.stringify({ message: 'x'.repeat(1_001) }))).toBe(`: ${'x'.repeat(1_000)}….`);
    expect(await said('x'.repeat(200))).toBe(`: ${'x'.repeat(200)}.`);
    expect(await said('x'.repeat(201))).toBe(`: ${'x'.repeat(199)}….`);
  });

  it('is never cut inside a character', async () => {
    expect(await said(JSON.stringify({ message: `${'x'.repeat(999)}🎉` }))).toBe(`: ${'x'.repeat(999)}….`);
    expect(await said(`${'x'.repeat(198)}🎉🎉`)).toBe(`: ${'x'.repeat(198)}….`);
  });

  it('is on one line, without control characters and a second full stop', async () => {
    expect(await said(JSON.stringify({ error: ' a\r\n\tb\u0000\u001fc\u007f\u009fd é. ' }))).toBe(': a b c d é.');
    expect(await said(JSON.stringify({ message: '\n' }))).toBe('.');
    expect(await said('')).toBe('.');
  });

  it('contains no secret: neither the key, nor the value of a field with such a name', async () => {
    expect(await said(JSON.stringify({ message: `The key ${testKey} is wrong.` }))).toBe(': The key *** is wrong.');
    expect(await said(JSON.stringify({ error: '{"token":"abc"}' }))).toBe(': {"token":"***"}.');
    expect(await said(JSON.stringify({ detail: { token: 'abc', name: 'x' } }))).toBe(
      ': {"detail":{"token":"***","name":"x"}}.',
    );
    expect(await said('"token": "abc')).toBe(': "token": "***.');
    const secret = 'whsec_0123456789';
    expect(await said(JSON.stringify({ message: `${secret} is taken.`, secret }))).toBe(': *** is taken.');
  });
});

describe('a refusal with status 200', () => {
  it('is a refusal without a retry', async () => {
    expect(await failed(() => json({ success: false, error: 'No such post' }), write)).toMatchObject({
      name: 'ApiError',
      message: 'POST /v1/posts/ was refused with status 200: No such post.',
      status: 200,
      outcome: 'rejected',
      attempts: 1,
    });
  });
});

describe('a redirect', () => {
  const redirect = (status: number, location?: string) => () =>
    new Response(null, { status, headers: location === undefined ? {} : { location } });
  const end =
    'It was not followed, because the access key would go with it. Set baseUrl to the address of the service.';

  it('is not followed, and shows the origin of its target', async () => {
    expect(await failed(redirect(302, 'https://other.test/path?x=1'))).toMatchObject({
      name: 'RedirectError',
      message: `GET /v1/posts/ was answered with a redirect to https://other.test (status 302). ${end}`,
      status: 302,
      locationOrigin: 'https://other.test',
      form: 'other',
      body: undefined,
      attempts: 1,
    });
    expect((await failed(redirect(308, `https://${testKey}.test/`))).message).toContain(
      'redirect to https://***.test ',
    );
  });

  it('may have executed a write if it says where the result is', async () => {
    expect(await failed(redirect(303, 'https://other.test/'), write)).toMatchObject({
      message: `POST /v1/posts/ was answered with a redirect to https://other.test (status 303). ${isWrite} ${end}`,
      outcome: 'unknown',
    });
    expect(await failed(redirect(307), write)).toMatchObject({
      message: `POST /v1/posts/ was answered with a redirect (status 307). ${end}`,
      outcome: 'rejected',
    });
  });

  it.each([undefined, '/relative', 'data:text/plain,x', 'http://['])('shows no origin of %j', async (location) => {
    const error = await failed(redirect(301, location));
    expect(error.message).toBe(`GET /v1/posts/ was answered with a redirect (status 301). ${end}`);
    expect('locationOrigin' in error).toBe(false);
  });
});

describe('a reply that cannot be read', () => {
  const answered = (problem: string, status = 200) =>
    `GET /v1/posts/ was answered with status ${String(status)}, but ${problem}. rawBody contains it. ${isRead}`;

  it.each<[string, () => Response, string, string | undefined]>([
    [
      'an empty body',
      () => new Response(' ', { headers: { 'content-type': 'text/plain' } }),
      'its body is empty',
      'text/plain',
    ],
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      'its body is not JSON (content type text/html)',
      'text/html; charset=utf-8',
    ],
    [
      'a body without a type',
      () => new Response(new TextEncoder().encode('x')),
      'its body is not JSON (no content type)',
      undefined,
    ],
  ])('names its problem: %s', async (_, response, problem, contentType) => {
    const error = await failed(response);
    expect(error).toMatchObject({
      name: 'ResponseError',
      message: answered(problem),
      status: 200,
      issues: [],
      outcome: 'unknown',
      rawBody: await response().text(),
    });
    expect(error['contentType']).toBe(contentType);
  });

  it('lists its first five issues, and has all of them', async () => {
    const posts = (count: number) => () => json({ success: true, posts: Array(count).fill({ postId: 5 }) }, 201);
    const issue = (index: number) => `posts.${String(index)}.postId must be a string`;
    const differs = (...issues: string[]) => answered(`it differs from the API document: ${issues.join('; ')}`, 201);
    expect((await failed(posts(1))).message).toBe(differs(issue(0)));
    expect((await failed(posts(5))).message).toBe(differs(...[0, 1, 2, 3, 4].map(issue)));
    const error = await failed(posts(7));
    expect(error.message).toBe(differs(...[0, 1, 2, 3, 4].map(issue), '2 more'));
    expect(error['issues']).toHaveLength(7);
  });

  it('is one that is larger than maxResponseBytes', async () => {
    const error = await failed(() => json({ success: true, posts: [] }), read, { maxResponseBytes: 10 });
    expect(error.message).toBe(answered('it is larger than maxResponseBytes (10)'));
  });

  it('is one that differs from the document, with strictResponses', async () => {
    const error = await failed(() => json({ total: null, posts: [{ postId: 'p', status: null }] }), read, {
      strictResponses: true,
    });
    expect(error.message).toBe(
      answered(
        'it differs from the API document (strictResponses): success is documented as true, but arrived as undefined; ' +
          'total is documented as number, but arrived as null; posts.*.status is documented as string, but arrived as null',
      ),
    );
    expect(error['issues']).toContainEqual({
      path: ['posts', '*', 'status'],
      message: 'posts.*.status is documented as string, but arrived as null',
    });
  });

  it('shows no secret in its issues', async () => {
    const body = { success: true, metrics: { [testKey]: 5 } };
    const error = await failed(() => json(body), insights);
    expect(error.message).toContain('metrics.*** must be an object');
    expect(error['issues']).toEqual([{ path: ['metrics', '***'], message: 'metrics.*** must be an object' }]);
  });
});
