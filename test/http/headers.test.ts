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
