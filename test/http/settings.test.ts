import { afterEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationError, SocialPublishing, type ClientOptions } from '../../src/index.js';
import { recordingServer } from '../support/recording-server.js';

const good: ClientOptions = { baseUrl: 'https://api.test', accessKey: 'test-key' };
const untyped = (options: Record<string, unknown>) => options as ClientOptions;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a client is built with', () => {
  test.each<[string, ClientOptions]>([
    ['a URL object', { ...good, baseUrl: new URL('https://api.test/v0') }],
    ['http to localhost', { ...good, baseUrl: 'http://localhost:3000' }],
    ['http to a loopback address', { ...good, baseUrl: 'http://127.8.0.1' }],
    ['http to the loopback of IPv6', { ...good, baseUrl: 'http://[::1]:8080/' }],
    ['http anywhere, if that is allowed', { ...good, baseUrl: 'http://api.test', allowInsecureHttp: true }],
    ['no key, for a server that adds it', { ...good, accessKey: null }],
    ['a key function', { ...good, accessKey: () => Promise.resolve('k') }],
    ['a time-out of years', { ...good, timeoutMs: 10 ** 12, totalTimeoutMs: Infinity }],
    ['no repeats', { ...good, maxRetries: 0 }],
  ])('%s', (_, options) => {
    expect(new SocialPublishing(options)).toBeInstanceOf(SocialPublishing);
  });

  test('address and key of the environment', async () => {
    const server = await recordingServer(() => ({ posts: [] }));
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', `${server.url}/prefix`);
    vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', 'key-of-the-environment');
    await new SocialPublishing().posts.list();
    expect(server.requests[0]).toMatchObject({
      target: '/prefix/v1/posts/',
      headers: { 'x-access-key': 'key-of-the-environment' },
    });
  });
});

describe('a client refuses', () => {
  test.each<[string, ClientOptions]>([
    ['no address', { accessKey: 'test-key' }],
    ["an address that isn't a URL", { ...good, baseUrl: 'api.test' }],
    ['another protocol', { ...good, baseUrl: 'ftp://api.test' }],
    ['http to a host that is not loopback', { ...good, baseUrl: 'http://api.test' }],
    ['http to a host that only looks like loopback', { ...good, baseUrl: 'http://127.0.0.1.evil.test' }],
    ['credentials in the address', { ...good, baseUrl: 'https://user:SECRET-VALUE@api.test' }],
    ['a query in the address', { ...good, baseUrl: 'https://api.test?key=SECRET-VALUE' }],
    ['a fragment in the address', { ...good, baseUrl: 'https://api.test/#x' }],
    ['no key', { baseUrl: 'https://api.test' }],
    ['an empty key', { ...good, accessKey: '' }],
    ['a key with a line break', { ...good, accessKey: 'SECRET-VALUE\n' }],
    ['a key with CR and LF', { ...good, accessKey: 'SECRET-VALUE\r\nx: y' }],
    ['a key that is not ASCII', { ...good, accessKey: 'SECRET-VALUE-ü' }],
    ['a key with a space at its end', { ...good, accessKey: 'SECRET-VALUE ' }],
    ["a key that isn't a string", untyped({ ...good, accessKey: 7 })],
    ['the key among the headers', { ...good, headers: { 'X-Access-Key': 'SECRET-VALUE' } }],
    ['a header value with a line break', { ...good, headers: { 'x-app': 'SECRET-VALUE\r\nx: y' } }],
    ['a time-out of 0', { ...good, timeoutMs: 0 }],
    ["a time-out that isn't a number", untyped({ ...good, timeoutMs: '30' })],
    ['a total time-out that is NaN', { ...good, totalTimeoutMs: Number.NaN }],
    ['half a repeat', { ...good, maxRetries: 0.5 }],
    ['negative credits', { ...good, maxCredits: -1 }],
    ['invalid options', untyped('SECRET-VALUE' as never)],
    ["a fetch that isn't a function", untyped({ ...good, fetch: 5 })],
    ["hooks that aren't an object", untyped({ ...good, hooks: 5 })],
    ["a hook that isn't a function", untyped({ ...good, hooks: { onRetry: 5 } })],
    ['a misspelt hook', untyped({ ...good, hooks: { onRety: () => undefined } })],
    ['headers that are a string', untyped({ ...good, headers: 'x' })],
    ['a switch that is neither true nor false', untyped({ ...good, strictResponses: 'yes' })],
    ['a misspelt option', untyped({ ...good, accesKey: 'SECRET-VALUE' })],
  ])('%s, and does not quote it', (_, options) => {
    let error: unknown;
    try {
      new SocialPublishing(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not_sent' });
    expect(String((error as Error).stack)).not.toContain('SECRET-VALUE');
  });

  test('a key in a page, unless the risk is accepted', () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    const { process } = globalThis;
    try {
      vi.stubGlobal('process', undefined);
      expect(() => new SocialPublishing(good)).toThrow(ConfigurationError);
      expect(() => new SocialPublishing({ ...good, accessKey: () => 'k' })).toThrow('accessKey: null');
      expect(new SocialPublishing({ ...good, accessKey: null })).toBeInstanceOf(SocialPublishing);
      expect(new SocialPublishing({ ...good, dangerouslyAllowBrowser: true })).toBeInstanceOf(SocialPublishing);
      vi.stubGlobal('document', undefined);
      expect(new SocialPublishing(good)).toBeInstanceOf(SocialPublishing);
    } finally {
      vi.stubGlobal('process', process);
    }
  });
});

describe('a key function', () => {
  test('is asked for each call, and its key is sent', async () => {
    const server = await recordingServer(() => ({ posts: [] }));
    let count = 0;
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: () => `key-${String((count += 1))}` });
    await client.posts.list();
    await client.posts.list();
    expect(server.requests.map(({ headers }) => headers['x-access-key'])).toEqual(['key-1', 'key-2']);
  });

  test.each<[string, () => unknown]>([
    ['gives a key that can not be sent', () => 'SECRET-VALUE\n'],
    ['gives nothing', () => undefined],
    ['fails', () => Promise.reject(new Error('vault is sealed'))],
  ])('that %s sends nothing and is not quoted', async (_, accessKey) => {
    const server = await recordingServer(() => ({ posts: [] }));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: accessKey as () => string });
    const error: unknown = await client.posts.list().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
      method: 'GET',
      route: '/v1/posts/',
    });
    expect(String((error as Error).stack)).not.toContain('SECRET-VALUE');
    expect(server.requests).toHaveLength(0);
  });
});

describe('withOptions', () => {
  test('changes some options and keeps the rest', async () => {
    const server = await recordingServer(() => ({ posts: [] }));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'one', headers: { 'x-app': 'a' } });
    await client.withOptions({ accessKey: 'two' }).posts.list();
    await client.posts.list();
    expect(server.requests.map(({ headers }) => [headers['x-access-key'], headers['x-app']])).toEqual([
      ['two', 'a'],
      ['one', 'a'],
    ]);
  });

  test('shares the count of credits', async () => {
    const server = await recordingServer(() => ({ post: {} }));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'one' });
    const other = client.withOptions({ maxCredits: 2 });
    await client.analytics.getPost('a');
    await other.analytics.getPost('b');
    expect([client.creditsUsed, other.creditsUsed]).toEqual([2, 2]);
    await expect(other.analytics.getPost('c')).rejects.toMatchObject({
      name: 'CreditLimitError',
      creditsUsed: 2,
      maxCredits: 2,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('sends no key where the page has none', async () => {
    const server = await recordingServer(() => ({ posts: [] }));
    await new SocialPublishing({ baseUrl: server.url, accessKey: null }).posts.list();
    expect(server.requests[0]?.headers).not.toHaveProperty('x-access-key');
  });
});
