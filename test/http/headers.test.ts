import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { readHeaders } from '../../src/http/headers.js';
import { SocialPublishing } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { recordingServer } from '../support/recording-server.js';

describe('headers are read from', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['an object', { 'X-App': ' one ', 'x-none': undefined }, { 'x-app': 'one' }],
    ['Headers', new Headers({ 'X-App': 'one' }), { 'x-app': 'one' }],
    [
      'Headers of another implementation',
      {
        *[Symbol.iterator]() {
          yield ['X-App', 'one'];
        },
      },
      { 'x-app': 'one' },
    ],
    ['a Map', new Map([['X-App', 'one']]), { 'x-app': 'one' }],
    [
      'entries',
      [
        ['X-App', 'one'],
        ['x-app', 'two'],
      ],
      { 'x-app': 'one, two' },
    ],
    ['entries of another realm', runInNewContext('[["x-app", "one"]]'), { 'x-app': 'one' }],
    ['numbers and switches', { 'x-number': 5, 'x-switch': true }, { 'x-number': '5', 'x-switch': 'true' }],
    ['nothing', undefined, {}],
  ])('%s', (_, headers, expected) => {
    expect({ ...readHeaders(headers) }).toEqual(expected);
  });
});

describe('headers are refused', () => {
  it.each<[string, unknown]>([
    ['null as a value', { 'x-app': null }],
    ['an array as a value', { 'x-app': ['SECRET-VALUE'] }],
    ['an object as a value', { 'x-app': {} }],
    ['an array of texts', ['x-app', 'SECRET-VALUE']],
    ['entries of three', [['x-app', 'one', 'two']]],
    ['a name with a space', { 'x app': 'SECRET-VALUE' }],
    ['a line break in a value', { 'x-app': 'SECRET-VALUE\r\nx: y' }],
    ['a letter that no header can hold', { 'x-app': 'SECRET-VALUE \u2026' }],
    ['a text', 'x-app: SECRET-VALUE'],
    ['null', null],
    ['the key in entries', [['X-Access-Key', 'SECRET-VALUE']]],
    ['the key in a Map', new Map([['x-access-key', 'SECRET-VALUE']])],
    ...['transfer-encoding', 'Content-Length', 'upgrade', 'keep-alive', 'expect', 'connection'].map(
      (name): [string, unknown] => [`${name}, which is for the connection alone`, { [name]: 'SECRET-VALUE' }],
    ),
  ])('%s, without quoting it', (_, headers) => {
    const read = () => readHeaders(headers);
    expect(read).toThrow(ConfigurationError);
    expect(read).not.toThrow('SECRET-VALUE');
  });
});

describe('the message about a header', () => {
  const name = 'headers contain a name that is not allowed in an HTTP header. Use letters, digits and hyphens.';
  const form = 'headers must be an object, Headers, a Map, or entries of name and value.';
  const value = 'headers contain a name or a value that is not allowed in an HTTP header. Encode the value.';
  it.each<[unknown, string]>([
    ['x-a: b', form],
    [5, form],
    [null, form],
    [['x-a', 'b'], form],
    [[['x-a']], form],
    [[['x-a', 'b', 'c']], form],
    [[['x-a', 'b'], null], form],
    [{ 'x a': 'b' }, name],
    [{ '': 'b' }, name],
    [{ 'x-a\n': 'b' }, name],
    [{ 'x-é': 'b' }, name],
    [[[5, 'b']], name],
    [{ 'X-Access-Key': 'b' }, 'headers must not contain x-access-key. Pass the key as accessKey.'],
    [{ Expect: 'b' }, 'headers must not contain expect: the connection sets it. Remove it.'],
    [{ 'X-A': null }, 'headers.x-a must be a string. To send no such header, omit it or pass undefined.'],
    [{ 'X-A': {} }, 'headers.x-a must be a string. To send no such header, omit it or pass undefined.'],
    [{ 'x-a': 'b\rc' }, value],
    [{ 'x-a': 'b\nc' }, value],
    [{ 'x-a': 'b\0c' }, value],
    [{ 'x-a': 'b\u0100c' }, value],
  ])('says what to do: %j', (headers, message) => {
    expect(() => readHeaders(headers)).toThrow(new ConfigurationError(message));
  });

  it('names the header for IDs only if it may carry one', async () => {
    const message = "requestIdHeader must be the name of a header without another meaning, such as 'x-request-id'.";
    const wrong = ['', 'x id', 5, 'Accept', 'content-type', 'host', 'traceparent', 'User-Agent', 'Expect', 'x-api-key'];
    for (const requestIdHeader of wrong) {
      const build = () =>
        new SocialPublishing({
          baseUrl: 'https://api.test',
          accessKey: 'k',
          requestIdHeader: requestIdHeader as string,
        });
      expect(build, String(requestIdHeader)).toThrow(new ConfigurationError(message));
    }
    for (const requestIdHeader of ['X-Request-Id', 'accept-id', 'x-host', 'content-type-id']) {
      const server = await recordingServer(() => ({ success: true, posts: [] }));
      const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'k', requestIdHeader });
      await client.posts.list();
      expect(server.requests[0]?.headers[requestIdHeader.toLowerCase()]).toMatch(/^[\da-f-]{36}$/);
    }
  });
});

describe('the value of a header', () => {
  it.each<[unknown, string]>([
    ['', ''],
    [' \t\r\n', ''],
    ['\n a \t b \r\n', 'a \t b'],
    ['\u00e9\u00ff', '\u00e9\u00ff'],
    ['\u0001\u007f', '\u0001\u007f'],
    ['\u00a0a\u00a0', '\u00a0a\u00a0'],
    [0, '0'],
    [false, 'false'],
  ])('is sent without spaces around it: %j', (value, text) => {
    expect({ ...readHeaders({ 'x-a': value }) }).toEqual({ 'x-a': text });
  });

  it('is joined with the values of the same name, in their order', () => {
    expect({
      ...readHeaders([
        ['x-a', ''],
        ['X-A', 'b'],
        ['__proto__', 'c'],
        ['x-a', 'd'],
      ]),
    }).toEqual(Object.assign(Object.create(null) as object, { 'x-a': ', b, d', ['__proto__']: 'c' }));
  });
});

describe('the headers of a call', () => {
  it("go over the client's, whatever form either has", async () => {
    const server = await recordingServer(() => ({ success: true, total: 0, posts: [] }));
    const client = new SocialPublishing({
      baseUrl: server.url,
      accessKey: 'k',
      headers: new Map([
        ['x-a', '1'],
        ['x-b', '1'],
      ]),
    });
    await client.posts.list({}, { headers: [['X-B', '2']] });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2', accept: 'application/json' });
  });

  it('that fetch would refuse end in an InvalidRequestError before anything is sent', async () => {
    const server = await recordingServer(() => ({}));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'k' });
    const error = await rejection(
      client.posts.create(
        { content: 'x', platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true },
        { headers: { expect: '100-continue' } },
      ),
    );
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent', issues: [{ path: ['headers'] }] });
    expect(server.requests).toEqual([]);
  });
});
