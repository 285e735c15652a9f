import { afterEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationError, SocialPublishing, type ClientOptions } from '../../src/index.js';
import { recordingServer } from '../support/recording-server.js';

const good: ClientOptions = { baseUrl: 'https://api.test', accessKey: 'test-key' };
const untyped = (options: Record<string, unknown>) => options as ClientOptions;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a client is built with', () => {
  test.each<[string, ClientOptions]>([
    ['a URL object', { ...good, baseUrl: new URL('https://api.test/v0') }],
    ['http to localhost', { ...good, baseUrl: 'http://localhost:3000' }],
    ['http to a loopback address', { ...good, baseUrl: 'http://127.8.0.1' }],
    ['http to the loopback of IPv6', { ...good, baseUrl: 'http://[::1]:8080/' }],
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

describe('a client refuses, and does not quote', () => {
  test.each<[string, ClientOptions]>([
    ['http to a host that only looks like loopback', { ...good, baseUrl: 'http://127.0.0.1.evil.test' }],
    ['credentials in the address', { ...good, baseUrl: 'https://user:SECRET-VALUE@api.test' }],
    ['a query in the address', { ...good, baseUrl: 'https://api.test?key=SECRET-VALUE' }],
    ['a key with a line break', { ...good, accessKey: 'SECRET-VALUE\n' }],
    ['a key with CR and LF', { ...good, accessKey: 'SECRET-VALUE\r\nx: y' }],
    ['a key that is not ASCII', { ...good, accessKey: 'SECRET-VALUE-ü' }],
    ['a key with a space at its end', { ...good, accessKey: 'SECRET-VALUE ' }],
    ['the key among the headers', { ...good, headers: { 'X-Access-Key': 'SECRET-VALUE' } }],
    ['a header value with a line break', { ...good, headers: { 'x-app': 'SECRET-VALUE\r\nx: y' } }],
    ['a total time-out that is NaN', { ...good, totalTimeoutMs: Number.NaN }],
    ['invalid options', untyped('SECRET-VALUE' as never)],
    ['headers that are a string', untyped({ ...good, headers: 'x' })],
    ['a misspelt option', untyped({ ...good, accesKey: 'SECRET-VALUE' })],
  ])('%s', (_, options) => {
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
