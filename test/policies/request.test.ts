import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ResponseError, type ConnectionError } from '../../src/core/errors.js';
import { responseOf } from '../../src/core/call/response.js';
import { json, reply, reset, WireServer, type Answer } from '../support/wire-server.js';
import { rejection, testClient, testKey, type TestClient } from './client.js';

let server: WireServer;
let answer: Answer;
let sdk: TestClient;

beforeEach(async () => {
  server = await WireServer.start(() => answer);
  sdk = testClient(server.url);
});

describe('client.request follows the policies of the other methods', () => {
  it.each([
    ['GET', false, 3],
    ['HEAD', false, 3],
    ['POST', false, 1],
    ['PUT', false, 1],
    ['PATCH', false, 1],
    ['DELETE', false, 1],
    ['POST', true, 3],
    ['PUT', true, 3],
    ['PATCH', true, 3],
    ['DELETE', true, 3],
  ])(
    '%s with idempotent: %s is sent %d times, where each attempt is reset after it was read',
    async (method, idempotent, sent) => {
      answer = reset;
      const error = (await rejection(sdk.client.request(`${method} /v1/things/`, { idempotent }))) as ConnectionError;
      expect(error).toMatchObject({
        name: 'ConnectionError',
        outcome: 'unknown',
        attempts: sent,
        method,
        route: '/v1/things/',
      });
      expect(server.requests).toHaveLength(sent);
    },
  );

  it('sends every method again after 429', async () => {
    answer = json({ success: false }, 429);
    for (const method of ['GET', 'POST', 'DELETE']) await rejection(sdk.client.request(`${method} /v1/things/`));
    expect(server.requests).toHaveLength(9);
  });

  it('takes success: false for a refusal', async () => {
    answer = json({ success: false, message: 'No' });
    expect(await rejection(sdk.client.request('POST /v1/things/'))).toMatchObject({
      name: 'ApiError',
      outcome: 'rejected',
      form: 'message',
    });
  });

  it('returns the parsed JSON, or the result of the schema, and nothing for an empty reply', async () => {
    answer = json({ count: 5 });
    const plain = await sdk.client.request('GET /v1/things/');
    expect(plain).toEqual({ count: 5 });
    expect(responseOf(plain as object)).toMatchObject({ status: 200, attempts: 1, url: `${server.url}/v1/things/` });
    const typed = await sdk.client.request('GET /v1/things/', { response: z.object({ count: z.number() }) });
    expect(typed.count + 1).toBe(6);
    for (const empty of [reply({ status: 204 }), reply({})]) {
      answer = empty;
      expect(await sdk.client.request('DELETE /v1/things/')).toBeUndefined();
    }
  });

  it('throws a ResponseError with the issues of the schema, without quoting the reply', async () => {
    answer = json({ list: [{ count: 'a text of the reply' }] });
    const response = z.object({ list: z.array(z.object({ count: z.number() })) });
    const error = (await rejection(sdk.client.request('POST /v1/things/', { response }))) as ResponseError;
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({ outcome: 'unknown', issues: [{ path: ['list', 0, 'count'] }] });
    expect(error.message).not.toContain('a text of the reply');
    expect(server.requests).toHaveLength(1);
  });

  it('takes a schema that checks asynchronously, and takes a check that throws for a reply that cannot be read', async () => {
    answer = json({ count: 5 });
    const standard = (validate: (value: unknown) => unknown) =>
      ({ '~standard': { version: 1, vendor: 'test', validate } }) as never;
    expect(
      await sdk.client.request('GET /v1/things/', {
        response: standard(async () => ({ value: await Promise.resolve(7) })),
      }),
    ).toBe(7);
    const broken = standard(() => {
      throw new Error('the schema is broken');
    });
    const error = await rejection(sdk.client.request('POST /v1/things/', { response: broken }));
    expect(error).toMatchObject({
      name: 'ResponseError',
      outcome: 'unknown',
      cause: { message: 'the schema is broken' },
    });
    // It was answered: the call is not made once more because the caller's schema fails.
    expect(server.requests).toHaveLength(2);
    await rejection(sdk.client.request('GET /v1/things/', { response: broken }));
    expect(server.requests).toHaveLength(3);
  });

  it.each([null, {}, { parse: () => 1 }, { '~standard': { version: 1 } }])(
    'refuses %j as a schema before it sends',
    async (response) => {
      const error = await rejection(sdk.client.request('POST /v1/things/', { response } as never));
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: ['response'] }] });
      expect(server.requests).toHaveLength(0);
    },
  );

  it('sends the key, the query and the body', async () => {
    answer = json({});
    await sdk.client.request('PUT /v1/things/{id}', {
      params: { id: 'a/b' },
      query: { tag: ['x', 'y'], none: undefined },
      body: { a: 1 },
    });
    expect(server.requests[0]).toMatchObject({ method: 'PUT', path: '/v1/things/a%2Fb?tag=x&tag=y', body: '{"a":1}' });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-access-key': testKey, 'content-type': 'application/json' });
  });
});
