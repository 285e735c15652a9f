import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { json, reset, WireServer, type Answer } from '../support/wire-server.js';
import { rejection } from './client.js';

const token = 'tok-0123456789abcdefghij';
const key = 'sk-live-0123456789';

let server: WireServer;
let answer: (path: string) => Answer;
beforeEach(async () => {
  server = await WireServer.start(({ path }) => answer(path));
});

const shown = (value: unknown) => inspect(value, { depth: 10, showHidden: true });

async function tell(route: string, input: object): Promise<string> {
  const told: unknown[] = [];
  const hear = (info: unknown) => told.push(info);
  const hooks = { onRequest: hear, onResponse: hear, onRetry: hear, onError: hear, onDrift: hear };
  const client = new SocialPublishing({ baseUrl: server.url, accessKey: key, hooks, maxRetries: 0 });
  const error = await rejection(client.request(route, input));
  return [error, ...told].map((value) => `${shown(value)} ${String(value)} ${JSON.stringify(value)}`).join('\n');
}

describe('a selection token in a route that a caller wrote is seen nowhere', () => {
  const routes: [string, string, object][] = [
    ['as it is documented', `POST /v1/connect/facebook/selection/${token}`, {}],
    ['with a slash at its end', `POST /v1/connect/facebook/selection/${token}/`, {}],
    ['with a slash too many', `POST //v1/connect/facebook/selection/${token}`, {}],
    ['with a slash too many before it', `POST /v1/connect/facebook/selection//${token}`, {}],
    ['with a further segment', `POST /v1/connect/facebook/selection/${token}/again`, {}],
    ['after a further segment', `POST /v1/connect/facebook/selection/again/${token}`, {}],
    ['as another parameter', 'POST /v1/connect/facebook/selection/{t}', { params: { t: token } }],
    ['as a part of a segment', 'POST /v1/connect/facebook/selection/a{t}', { params: { t: token } }],
    ['in capitals', `POST /V1/Connect/Facebook/SELECTION/${token}`, {}],
    ['percent-encoded', `POST /v1/connect/facebook/select%69on/${token}`, {}],
    ['by a parameter', `POST /v1/connect/facebook/{s}/${token}`, { params: { s: 'selection' } }],
    ['of another platform', `POST /v1/connect/linkedin/selection/${token}`, {}],
    ['behind a prefix', `POST /proxy/v1/connect/facebook/selection/${token}`, {}],
    ['with another method', `GET /v1/connect/facebook/selection/${token}`, {}],
  ];

  it.each(routes)('%s', async (_, route, input) => {
    answer = (path) => json({ error: `There is no ${path}` }, 404);
    expect(await tell(route, input)).not.toContain(token);
  });

  it.each(routes)('%s, where the connection breaks', async (_, route, input) => {
    answer = () => reset;
    expect(await tell(route, input)).not.toContain(token);
  });

  it('and arrives as it is', async () => {
    answer = () => json({ success: true });
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: key });
    for (const [, route, input] of routes) await client.request(route, input).catch(() => undefined);
    // All but the two that were refused, since a host or an empty segment could be read into them.
    expect(server.requests.filter(({ path }) => path.includes(token))).toHaveLength(routes.length - 2);
  });
});

describe('redaction', () => {
  const client = (options: object = {}) =>
    new SocialPublishing({ baseUrl: server.url, accessKey: key, maxRetries: 0, ...options });

  it("covers issues of a reply: names of fields and texts of a caller's schema", async () => {
    answer = () => json({ success: true, metrics: { [key]: 5 } });
    const insights = await rejection(client().analytics.getInstagramInsights({ accountId: 'int_1' }));
    expect(insights).toMatchObject({ name: 'ResponseError' });
    expect(shown(insights)).not.toContain(key);

    const validate = () => ({ issues: [{ message: `${key} is no number`, path: [key] }] });
    const response = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const own = await rejection(client().request('GET /v1/x', { response }));
    expect(own).toMatchObject({ name: 'ResponseError', issues: [{ path: ['***'], message: '*** is no number' }] });
    expect(shown(own)).not.toContain(key);
  });

  it('covers the paths of drifts', async () => {
    answer = () => json({ success: true, metrics: { [key]: null } });
    const told: unknown[] = [];
    const hooks = { onDrift: (info: unknown) => told.push(info) };
    await client({ hooks }).analytics.getInstagramInsights({ accountId: 'int_1' });
    expect(told).toMatchObject([{ path: 'metrics.***' }]);
  });

  it.each([
    ['whole JSON', '{"success":true,"notification":{"webhook":{"secret":"whsec_0123456789"}}}'],
    ['cut JSON', '{"notification":{"webhook":{"secret":"whsec_0123456789"},"chan'],
    ['JSON that is cut in the secret', '{"notification":{"webhook":{"secret":"whsec_0123456789'],
    ['JSON in a message', JSON.stringify({ success: false, message: 'got {"secret":"whsec_0123456789"}' })],
    ['JSON in JSON in a message', JSON.stringify({ error: JSON.stringify('{"secret":"whsec_0123456789"}') })],
  ])("covers a signing secret that the service made, in an error's body: %s", async (_, body) => {
    answer = () => (socket) =>
      socket.end(`HTTP/1.1 500 Oops\r\ncontent-length: ${String(body.length)}\r\nconnection: close\r\n\r\n${body}`);
    const error = await rejection(
      client().notifications.create({ channel: 'webhook', webhook: { url: 'https://example.com/hook' } }),
    );
    expect(error).toMatchObject({ name: 'ServerError' });
    expect(shown(error)).not.toContain('whsec_0123456789');
  });

  it('covers an earlier key of a rotation', async () => {
    const keys = ['sk-old-0123456789', 'sk-new-0123456789'];
    let calls = 0;
    const own = client({ accessKey: () => keys[calls++ % 2] ?? '' });
    answer = () => json({ error: `neither ${keys[0] ?? ''} nor ${keys[1] ?? ''}` }, 401);
    await rejection(own.posts.list());
    expect(shown(await rejection(own.posts.list()))).not.toMatch(/sk-(?:old|new)-0123456789/);
  });

  it('covers exceptions of a key function', async () => {
    answer = () => json({});
    const accessKey = () => Promise.reject(Object.assign(new Error(`${key} has expired`), { code: 'EEXPIRED' }));
    const error = await rejection(client({ accessKey }).posts.list());
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
      message: expect.stringContaining('(Error, EEXPIRED)') as string,
    });
    expect(shown(error)).not.toContain(key);
  });
});
