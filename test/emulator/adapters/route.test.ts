import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, ConnectionError, SocialPublishing } from 'social-publishing';
import { createEmulator, emulatorRoute, type Emulator, type EmulatorRouteOptions } from 'social-publishing/emulator';
import { start } from '../world.js';

const accessKey = 'preview-key';
const origin = 'https://preview.example.com';
const basePath = '/api/emulator';

const newService = (deliver: (request: Request) => Response = () => new Response()) =>
  createEmulator({ accessKey, now: () => start, deliver });

function routed(options: EmulatorRouteOptions = {}, service: Emulator = newService()) {
  const route = emulatorRoute(service, { basePath, enabled: true, ...options });
  const send = (path: string, init: RequestInit = {}) => route(new Request(`${origin}${basePath}${path}`, init));
  const client = new SocialPublishing({
    baseUrl: origin + basePath,
    accessKey,
    maxRetries: 0,
    fetch: (input, init) => route(new Request(input, init)),
  });
  return { service, route, send, client };
}

const withKey = { headers: { 'x-access-key': accessKey } };
const basic = (text: string) => ({ headers: { authorization: `Basic ${btoa(text)}` } });

async function publishTo(url: string, options: EmulatorRouteOptions) {
  const sent: string[] = [];
  const service = newService((request) => {
    sent.push(request.url);
    return new Response();
  });
  const { client } = routed(options, service);
  service.seed.subscription({ eventTypes: ['post.published'], webhook: { url } });
  const { id } = service.seed.integration({ platform: 'bluesky' });
  await client.posts.create({
    content: 'Hello',
    publishNow: true,
    platforms: [{ platform: 'bluesky', accountId: id }],
  });
  await service.clock.advance({ hours: 1 });
  return { sent, deliveries: service.deliveries };
}

describe('emulatorRoute', () => {
  it.each([undefined, false])('answers 404 to everything with enabled: %s', async (enabled) => {
    const { send } = routed({ enabled, console: true });
    for (const path of ['/v1/posts/', '/_emulator/clock', '/console', '', '/'])
      expect((await send(path, withKey)).status).toBe(404);
  });

  it('answers 404 to a caller without types who enables it with something else than true', () => {
    const enabled = 'true' as unknown as boolean; // As an environment variable would be.
    expect(() => emulatorRoute(newService(), { enabled })).toThrow(ConfigurationError);
  });

  it('serves the service under its base path', async () => {
    const { client, service, send, route } = routed();
    service.seed.post({ content: 'Hello' });
    const { items } = await client.posts.list();
    expect(items).toMatchObject([{ content: 'Hello' }]);
    expect((await send('/v1/posts/')).status).toBe(401);
    expect((await route(new Request(`${origin}/v1/posts/`, withKey))).status).toBe(404);
    expect((await route(new Request(`${origin}${basePath}2/v1/posts/`, withKey))).status).toBe(404);
  });

  it('serves it at the root without a base path, and with a slash at its end', async () => {
    for (const path of [undefined, '/', '/api/emulator/']) {
      const { route } = routed({ basePath: path });
      const url = `${origin}${path === '/api/emulator/' ? '/api/emulator' : ''}/v1/posts/`;
      expect((await route(new Request(url, withKey))).status).toBe(200);
    }
  });

  it('passes on bodies, and records the request', async () => {
    const { client, service } = routed();
    const { postId } = await client.posts.create({ content: 'Über', saveAsDraft: true });
    expect(service.posts).toMatchObject([{ postId, content: 'Über' }]);
    expect(service.requests).toMatchObject([{ route: 'POST /v1/posts/' }]);
  });

  it('breaks off a reply that a fault resets', async () => {
    const { client, service } = routed();
    service.faults.add({ kind: 'reset_before', times: 1 });
    await expect(client.posts.list()).rejects.toBeInstanceOf(ConnectionError);
  });

  it('serves neither console nor control API unless it is asked to', async () => {
    const { send } = routed();
    for (const path of ['/_emulator/clock', '/console', '/', '']) expect((await send(path, withKey)).status).toBe(404);
  });

  it.each([{ path: basePath + 'x y' }, { path: 'api' }, { path: 'https://a.example/api' }])(
    'refuses the base path $path',
    ({ path }) => {
      expect(() => emulatorRoute(newService(), { basePath: path })).toThrow(/basePath must be a path/);
    },
  );

  it('refuses a console without an access key', () => {
    const open = createEmulator({ accessKey: null });
    expect(() => emulatorRoute(open, { enabled: true, console: true })).toThrow(
      /requires an emulator with an access key/,
    );
  });

  it("refuses a deliverTo that isn't an origin", () => {
    expect(() => emulatorRoute(newService(), { enabled: true, deliverTo: 'https://a.example/hooks' })).toThrow(
      ConfigurationError,
    );
  });
});

describe('the console and the control API of a route', () => {
  it('require the access key, in the header or as the password that a browser asks for', async () => {
    const { send } = routed({ console: true });
    const refused = await send('/_emulator/clock');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(await refused.text()).not.toContain(accessKey);
    for (const init of [{ headers: { 'x-access-key': 'other' } }, basic('me:other'), basic(accessKey), basic('')])
      expect((await send('/_emulator/clock', init)).status).toBe(401);
    for (const init of [withKey, basic(`me:${accessKey}`), basic(`:${accessKey}`)])
      expect((await send('/_emulator/clock', init)).status).toBe(200);
    for (const path of ['/console', '/', '/assets/x.js', '/_emulator/state', '/_emulator/none'])
      expect((await send(path)).status).toBe(401);
  });

  it.each([
    ['the console', 'same-origin', []],
    ['a page of another origin', 'cross-site', [{ route: 'GET /v1/posts/' }]],
    ['a page of the same site', 'same-site', [{ route: 'GET /v1/posts/' }]],
    ['a program that is not a browser', undefined, [{ route: 'GET /v1/posts/' }]],
  ])('hide requests in the background only for the console: %s', async (_, site, recorded) => {
    const { send, service } = routed({ console: true });
    const headers = { ...withKey.headers, 'x-emulator-background': '1', ...(site && { 'sec-fetch-site': site }) };
    expect((await send('/v1/posts/', { headers })).status).toBe(200);
    expect(service.requests).toMatchObject(recorded);
  });

  it('accept each key of an emulator with several', async () => {
    const { send } = routed({ console: true }, createEmulator({ accessKey: ['one', 'two:three'] }));
    expect((await send('/_emulator/clock', basic('me:two:three'))).status).toBe(200);
  });

  it('show the page, from the base path too', async () => {
    const { send } = routed({ console: true });
    for (const path of ['/console', '/']) {
      const page = await send(path, withKey);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toContain('<!doctype html>');
    }
    const bare = await send('', withKey);
    expect([bare.status, bare.headers.get('location')]).toEqual([307, `${basePath}/console`]);
    expect((await send('/none.js', withKey)).status).toBe(404);
    expect((await send('/console', { ...withKey, method: 'POST' })).status).toBe(404);
  });

  it('move the clock, stream events, and refuse pages of another origin', async () => {
    const { send, service } = routed({ console: true });
    const headers = { ...withKey.headers, 'content-type': 'application/json' };
    const advance = { method: 'POST', body: JSON.stringify({ hours: 2 }) };
    expect((await send('/_emulator/clock/advance', { ...advance, headers })).status).toBe(200);
    expect(service.clock.now()).toBe(start + 7_200_000);
    const foreign = { ...headers, origin: 'https://evil.example' };
    expect((await send('/_emulator/clock/advance', { ...advance, headers: foreign })).status).toBe(403);
    const own = { ...headers, origin };
    expect((await send('/_emulator/clock/advance', { ...advance, headers: own })).status).toBe(200);
    const stream = await send('/_emulator/events', withKey);
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain('event: clock');
    await reader?.cancel();
  });
});

describe('deliveries of a route', () => {
  it.each(['http://127.0.0.1:9999/hooks', 'http://localhost:9999/hooks'])('go to loopback: %s', async (url) => {
    const { sent } = await publishTo(url, {});
    expect(sent).toEqual([url]);
  });

  it('go to the origins of deliverTo, and to no other', async () => {
    const allowed = await publishTo('https://app.example.com/hooks', { deliverTo: 'https://app.example.com' });
    expect(allowed.sent).toEqual(['https://app.example.com/hooks']);
    for (const url of [
      'https://evil.example/hooks',
      'https://app.example.com:8443/hooks',
      'https://app.example.com.evil.example/',
    ]) {
      const { sent, deliveries } = await publishTo(url, { deliverTo: ['https://app.example.com'] });
      expect(sent).toEqual([]);
      expect(deliveries[0]).toMatchObject({
        ok: false,
        error: `not sent: deliverTo of emulatorRoute does not contain ${new URL(url).origin}`,
      });
    }
  });
});

describe('frameworks', () => {
  it('Hono serves it', async () => {
    const service = newService();
    const route = emulatorRoute(service, { basePath, enabled: true, console: true });
    const app = new Hono().all(`${basePath}/*`, (context) => route(context.req.raw));
    const client = new SocialPublishing({
      baseUrl: origin + basePath,
      accessKey,
      fetch: async (input, init) => app.fetch(new Request(input, init)),
    });
    await client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect((await client.posts.list()).items).toHaveLength(1);
    expect((await app.request(`${basePath}/console`, withKey)).status).toBe(200);
    expect((await app.request('/other', withKey)).status).toBe(404);
  });

  it('a route handler of Next.js serves it: one function for every method', async () => {
    // app/api/emulator/[...path]/route.ts
    const route = emulatorRoute(newService(), { basePath, enabled: true });
    const handlers = { GET: route, POST: route, PUT: route, PATCH: route, DELETE: route };
    type Handler = (request: Request, context: { params: Promise<{ path: string[] }> }) => Promise<Response>;
    const client = new SocialPublishing({
      baseUrl: origin + basePath,
      accessKey,
      fetch: (input, init) => {
        const request = new Request(input, init);
        const handler: Handler = handlers[request.method as keyof typeof handlers];
        return handler(request, { params: Promise.resolve({ path: ['v1', 'posts'] }) });
      },
    });
    const { postId } = await client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect((await client.posts.list()).items).toMatchObject([{ postId }]);
  });
});
