import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { InvalidRequestError } from '../../src/core/errors.js';
import { anyCharacter, runs, runsTimeoutMs } from '../support/property.js';
import { json, WireServer } from '../support/wire-server.js';
import { testClient } from './client.js';

/** Every operation with a path parameter, and the path around it. */
const operations: Readonly<
  Record<
    string,
    readonly [before: string, after: string, call: (client: SocialPublishing, id: string) => PromiseLike<unknown>]
  >
> = {
  'posts.updateScheduled': [
    '/prefix/v1/posts/scheduled/',
    '',
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service alone
    (client, id) => client.posts.updateScheduled(id, { content: 'Hello' }),
  ],
  'messages.list': [
    '/prefix/v1/messages/',
    '?platform=instagram&accountId=int_1',
    (client, id) => client.messages.list(id, { platform: 'instagram', accountId: 'int_1' }),
  ],
  'automations.listLogs': ['/prefix/v1/comment-automations/', '/logs', (client, id) => client.automations.listLogs(id)],
  'integrations.get': ['/prefix/v1/connect/integrations/', '', (client, id) => client.integrations.get(id)],
  'integrations.update': [
    '/prefix/v1/connect/integrations/',
    '',
    (client, id) => client.integrations.update(id, { profileId: null }),
  ],
  'integrations.selectFacebookPages': [
    '/prefix/v1/connect/facebook/selection/',
    '',
    (client, id) => client.integrations.selectFacebookPages(id, { selectedAccountIds: [] }),
  ],
  request: [
    '/prefix/v1/things/',
    '/parts/',
    (client, id) => client.request('GET /v1/things/{id}/parts/', { params: { id } }),
  ],
  'a request with two parameters in a segment': [
    '/prefix/v1/things/',
    '',
    (client, id) => client.request('GET /v1/things/{a}{b}', { params: { a: id.slice(0, 1), b: id.slice(1) } }),
  ],
};

let server: WireServer;
let client: SocialPublishing;

beforeAll(async () => {
  server = await WireServer.open(() =>
    json({ success: true, messages: [], logs: [], integrations: [], integration: { id: 'int_1' } }),
  );
});
beforeEach(() => {
  ({ client } = testClient(`${server.url}/prefix/`));
});
afterAll(() => server.close());

/** Characters with a special meaning for servers, proxies and frameworks. */
const tricky = [
  '.',
  '..',
  '/',
  '\\',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '%00',
  '%',
  '?',
  '#',
  ';',
  ':',
  '@',
  '&',
  '=',
  '+',
  ' ',
  '//',
  'é',
  '日本',
  '👍',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\0',
  '\n',
  '\r\n',
  '\u0085',
  '\u007f',
  'a',
  '0',
  '{id}',
  '$&',
  '__proto__',
];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...tricky), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** Values that the policies refuse as a path parameter. */
function isRefused(value: string): boolean {
  return (
    value === '' ||
    value === '.' ||
    value === '..' ||
    value.length > 512 ||
    /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u.test(value)
  );
}

/** The path as the server got it, and as the server's own URL parser would take it. */
async function arrivalOf(call: PromiseLike<unknown>): Promise<string | undefined> {
  const before = server.requests.length;
  try {
    await call;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(server.requests).toHaveLength(before);
    return undefined;
  }
  expect(server.requests).toHaveLength(before + 1);
  const { path = '' } = server.requests.at(-1) ?? {};
  // No character has a meaning for a URL parser.
  const parsed = new URL(path, 'http://service');
  expect(parsed.host).toBe('service');
  expect(parsed.pathname + parsed.search).toBe(path);
  return path;
}

describe('a path parameter is refused or arrives as exactly one segment', () => {
  it.each(Object.entries(operations))(
    '%s',
    async (name, [before, after, call]) => {
      await fc.assert(
        fc.asyncProperty(id, async (value) => {
          const path = await arrivalOf(call(client, value));
          const parts = name.includes('two') ? [value.slice(0, 1), value.slice(1)] : [value];
          const mustRefuse = parts.some(isRefused) || isRefused(value);
          if (path === undefined) {
            expect(mustRefuse).toBe(true);
            return;
          }
          expect(mustRefuse).toBe(false);
          expect(path.startsWith(before) && path.endsWith(after)).toBe(true);
          const segment = path.slice(before.length, path.length - after.length);
          expect(segment).toMatch(/^[^/\\?#;]+$/);
          expect(decodeURIComponent(segment)).toBe(value);
        }),
        runs(150),
      );
    },
    runsTimeoutMs(10, 150),
  );

  it('every tricky string, separately and in pairs', async () => {
    const [before, after, call] = operations['integrations.get'] ?? ['', '', () => Promise.resolve()];
    for (const value of [...tricky, ...tricky.flatMap((a) => tricky.map((b) => a + b))]) {
      const path = await arrivalOf(call(client, value));
      expect(path === undefined, JSON.stringify(value)).toBe(isRefused(value));
      if (path !== undefined)
        expect(decodeURIComponent(path.slice(before.length, path.length - after.length))).toBe(value);
    }
  });

  it.each([[undefined], [null], [5], [{}], [['a']], [true], ['x'.repeat(513)]])('%j is refused', async (value) => {
    expect(await arrivalOf(client.integrations.get(value as string))).toBeUndefined();
  });

  it('of 512 characters arrives', async () => {
    expect(await arrivalOf(client.integrations.get('x'.repeat(512)))).toBeDefined();
  });
});

describe('the route of a request', () => {
  it.each([
    'GET https://elsewhere.example/v1/posts/',
    'GET //elsewhere.example/v1/posts/',
    'GET /v1/../admin',
    'GET /v1/%2e%2e/admin',
    'GET /v1/.%2E/admin',
    'GET /v1/./posts',
    'GET /v1//posts',
    'GET /v1\\posts',
    'GET /v1/posts?key=1',
    'GET /v1/posts#top',
    'GET v1/posts',
    'get /v1/posts',
    'TRACE /v1/posts',
    'CONNECT /v1/posts',
    'GET  /v1/posts',
    'GET /v1/posts\r\nx: y',
    'GET',
    '/v1/posts',
    '',
    'GET /v1/{id}',
  ])('%j is refused', async (route) => {
    expect(await arrivalOf(client.request(route))).toBeUndefined();
  });

  it('is refused where its parameters would make a folder of a segment', async () => {
    for (const route of ['GET /v1/.{x}', 'GET /v1/%2{hex}/x', 'GET /v1/%2{hex}.', 'GET /v1/%2{hex}%2{hex}/x']) {
      expect(
        await arrivalOf(client.request(route, { params: { ...(route.includes('{x}') ? { x: '.' } : { hex: 'e' }) } })),
      ).toBeUndefined();
    }
  });

  it('keeps its slash at the end, and the prefix of the base URL with or without one', async () => {
    for (const base of ['/prefix', '/prefix/', '/prefix//']) {
      const { client: sdk } = testClient(server.url + base);
      expect(await arrivalOf(sdk.request('GET /v1/things/'))).toBe('/prefix/v1/things/');
      expect(await arrivalOf(sdk.request('GET /v1/things'))).toBe('/prefix/v1/things');
    }
  });

  it('names every parameter that is missing or not in the path', async () => {
    const error = await client.request('GET /v1/{a}/{b}', { params: { c: 'x' } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ issues: [{ path: ['a'] }, { path: ['b'] }, { path: ['c'] }] });
  });
});
