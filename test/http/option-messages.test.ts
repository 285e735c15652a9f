import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, SocialPublishing } from '../../src/index.js';
import { rejection } from '../policies/client.js';

const good = { baseUrl: 'https://api.test', accessKey: 'test-key' };
/** Values that a caller without types might pass. */
const build = (options: object) => () => new SocialPublishing({ ...good, ...options });

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const whole = "baseUrl is not a URL. It must be whole, for example 'https://api.example.com'.";
const secure =
  'baseUrl must begin with https:, because http: sends the access key unencrypted. http: is accepted for loopback ' +
  'hosts only, or with allowInsecureHttp: true.';
const password = 'baseUrl must not contain a user name or a password. Pass the key as accessKey.';
const query = 'baseUrl must not contain a query or a fragment. Remove ? and #.';
const version = 'baseUrl must not end in /v1: each operation adds it. Remove it.';
const noKey =
  'Pass accessKey, or set SOCIAL_PUBLISHING_ACCESS_KEY. accessKey: null sends none, for a server behind baseUrl that adds it.';
const noString = (what: string) => `accessKey must be a string, or a function that returns a string, not ${what}.`;
const emptyKey = 'accessKey is empty. If it comes from an environment variable, check that the variable is set.';
const ascii =
  'accessKey must be printable ASCII. A line break at its end is the most common mistake: trim the text of a file or a shell.';
const space = 'accessKey must not begin or end with a space. Trim it.';
const duration = 'must be a number of milliseconds above 0, or Infinity.';
const count = 'must be a whole number, 0 or more, or Infinity.';
const hooks = 'hooks must be an object of functions, or an array of such objects.';

describe('the message about an option of the client', () => {
  it.each<[object, string]>([
    [{ baseUrl: 'api.test' }, whole],
    [{ baseUrl: 5 }, whole],
    [{ baseUrl: null }, "Pass baseUrl, or set SOCIAL_PUBLISHING_BASE_URL, for example to 'https://api.example.com'."],
    [
      { baseUrl: undefined },
      "Pass baseUrl, or set SOCIAL_PUBLISHING_BASE_URL, for example to 'https://api.example.com'.",
    ],
    [{ baseUrl: '/proxy' }, `${whole} A path of the page's own host is written new URL('/proxy', location.origin).`],
    [{ baseUrl: 'x/' }, whole],
    [{ baseUrl: 'ftp://api.test' }, 'baseUrl must begin with https:, or http: for a loopback host.'],
    [{ baseUrl: 'http://api.test' }, secure],
    [{ baseUrl: 'http://api.test', allowInsecureHttp: false }, secure],
    [{ baseUrl: 'https://user@api.test' }, password],
    [{ baseUrl: 'https://:secret@api.test' }, password],
    [{ baseUrl: 'https://api.test?' }, query],
    [{ baseUrl: 'https://api.test#' }, query],
    [{ baseUrl: 'https://api.test/v1' }, version],
    [{ baseUrl: 'https://api.test/v1/' }, version],
    [{ baseUrl: 'https://api.test/v1//' }, version],
    [{ accessKey: undefined }, noKey],
    [{ accessKey: 5 }, noString('number')],
    [{ accessKey: {} }, noString('object')],
    [{ accessKey: '' }, emptyKey],
    [{ accessKey: 'key\n' }, ascii],
    [{ accessKey: 'k\u00e9y' }, ascii],
    [{ accessKey: 'k\u001fy' }, ascii],
    [{ accessKey: 'k\u007fy' }, ascii],
    [{ accessKey: ' key' }, space],
    [{ accessKey: 'key ' }, space],
    [{ timeoutMs: 0 }, `timeoutMs ${duration}`],
    [{ totalTimeoutMs: '5' }, `totalTimeoutMs ${duration}`],
    [{ maxRetries: -1 }, `maxRetries ${count}`],
    [{ maxRetries: 0.5 }, `maxRetries ${count}`],
    [{ maxResponseBytes: -1 }, `maxResponseBytes ${count}`],
    [{ maxCredits: 0.5 }, `maxCredits ${count}`],
    [{ maxCredits: -1 }, `maxCredits ${count}`],
    [{ fetch: {} }, 'fetch must be a function.'],
    [{ now: 5 }, 'now must be a function.'],
    [{ strictResponses: 1 }, 'strictResponses must be true or false.'],
    [{ allowInsecureHttp: 1 }, 'allowInsecureHttp must be true or false.'],
    [{ dangerouslyAllowBrowser: 'yes' }, 'dangerouslyAllowBrowser must be true or false.'],
    [{ hooks: 5 }, hooks],
    [{ hooks: false }, hooks],
    [{ hooks: [null] }, hooks],
    [{ hooks: [{}, true] }, hooks],
    [
      { hooks: { onRety: () => undefined } },
      "'hooks.onRety' is not a hook; did you mean 'onRetry'? Supported: onStart, onRequest, onResponse, onRetry, onError, onEnd, onDrift.",
    ],
    ...['onStart', 'onRequest', 'onResponse', 'onRetry', 'onError', 'onEnd', 'onDrift'].map(
      (name): [object, string] => [{ hooks: [undefined, false, { [name]: 5 }] }, `hooks.${name} must be a function.`],
    ),
    [{ limits: { concurrency: 0 } }, 'limits.concurrency must be a whole number, 1 or more, or Infinity.'],
    [{ limits: { perSecond: 0 } }, 'limits.perSecond must be a number above 0, or Infinity.'],
    [
      { limits: { perSeconds: 1 } },
      "'limits.perSeconds' is not a limit; did you mean 'perSecond'? Supported: concurrency, perSecond.",
    ],
    [{ limits: [] }, 'limits must be an object.'],
    [
      { accesKey: 'x' },
      "'accesKey' is not an option of the client; did you mean 'accessKey'? Supported: baseUrl, accessKey, timeoutMs, " +
        'totalTimeoutMs, maxRetries, maxResponseBytes, headers, fetch, hooks, requestIdHeader, strictResponses, maxCredits, ' +
        'limits, now, allowInsecureHttp, dangerouslyAllowBrowser.',
    ],
    [{ timeoutMs: 0, maxRetries: -1 }, `timeoutMs ${duration.slice(0, -1)}; maxRetries ${count}`],
  ])('says what is allowed: %j', (options, message) => {
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', '');
    vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', '');
    expect(build(options)).toThrow(new ConfigurationError(message));
    expect(build(options)).toThrow(expect.objectContaining({ outcome: 'not_sent' }));
  });

  it.each<object>([
    { baseUrl: 'https://api.test/v1/proxy' },
    { baseUrl: 'https://api.test/proxy/v1' },
    { baseUrl: 'https://api.test/v1x' },
    { baseUrl: 'https://api.test/v10/' },
    { baseUrl: 'http://api.test', allowInsecureHttp: true },
    { accessKey: '!~ k' },
    { timeoutMs: Infinity, totalTimeoutMs: 0.5, maxRetries: Infinity, maxCredits: 0, maxResponseBytes: 0 },
    { hooks: [] },
    { hooks: [undefined, false, {}] },
    { limits: {} },
    { limits: { concurrency: Infinity, perSecond: 0.1 } },
  ])('is not thrown for %j', (options) => {
    expect(build(options)).not.toThrow();
  });

  it('explains a key in a page, where window, document and no process exist', () => {
    const message =
      'An access key in a web page can be read by every visitor. Pass accessKey: null and let your back end add the key, ' +
      'or accept the risk with dangerouslyAllowBrowser: true.';
    const inPage = (globals: Record<string, unknown>, options: object = {}) => {
      for (const [name, value] of Object.entries({ window: {}, document: {}, process: undefined, ...globals }))
        vi.stubGlobal(name, value);
      try {
        build(options)();
        return undefined;
      } catch (error) {
        return (error as Error).message;
      } finally {
        vi.unstubAllGlobals();
      }
    };
    expect(inPage({})).toBe(message);
    expect(inPage({}, { accessKey: () => 'k' })).toBe(message);
    expect(inPage({}, { dangerouslyAllowBrowser: false })).toBe(message);
    expect(inPage({}, { dangerouslyAllowBrowser: true })).toBeUndefined();
    expect(inPage({}, { accessKey: null })).toBeUndefined();
    expect(inPage({ window: undefined })).toBeUndefined();
    expect(inPage({ document: undefined })).toBeUndefined();
    expect(inPage({ process: {} })).toBeUndefined();
  });
});

describe('the message about an accessKey function', () => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a function of a caller may reject with any value
  const rejecting = (reason: unknown) => () => Promise.reject(reason);
  const hidden = 'Its exception is not shown, because it may contain the key.';
  it.each<[string, () => unknown, string]>([
    ['that returns a number', () => 5, noString('number')],
    ['that returns null', () => null, noString('null')],
    ['that returns undefined', () => undefined, noString('undefined')],
    ['that returns an empty key', () => '', emptyKey],
    ['that returns a key with a line break', () => Promise.resolve('k\n'), ascii],
    [
      'that throws an error with a code',
      () => {
        throw Object.assign(new TypeError('the key k1'), { code: 'E1' });
      },
      `The accessKey function failed (TypeError, E1). ${hidden}`,
    ],
    [
      'that rejects with an error',
      () => Promise.reject(new Error('the key k1')),
      `The accessKey function failed (Error). ${hidden}`,
    ],
    ['that rejects with nothing', rejecting(undefined), `The accessKey function failed. ${hidden}`],
    ['that rejects with other values', rejecting({ name: 5, code: 5 }), `The accessKey function failed. ${hidden}`],
  ])('says what is wrong: %s', async (_, accessKey, message) => {
    const fetch = vi.fn();
    const client = new SocialPublishing({ ...good, accessKey: accessKey as () => string, fetch });
    expect(await rejection(client.posts.list())).toMatchObject({
      name: 'ConfigurationError',
      message,
      outcome: 'not_sent',
      method: 'GET',
      route: '/v1/posts/',
    });
    expect(fetch).not.toHaveBeenCalled();
  });
});
