import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError, RedirectError, type Outcome } from '../../src/core/errors.js';
import { json, raw, reply, WireServer } from '../support/wire-server.js';
import { classesOfCall, free, patch, post, put } from './calls.js';
import { rejection, testClient } from './client.js';

/** A write with the reply "see other" may have been executed; 307 and 308 ask to send it elsewhere. */
const redirects: readonly (readonly [status: number, ofAWrite: Outcome])[] = [
  [300, 'unknown'],
  [301, 'unknown'],
  [302, 'unknown'],
  [303, 'unknown'],
  [305, 'rejected'],
  [307, 'rejected'],
  [308, 'rejected'],
];

let target: WireServer;
let server: WireServer;
let status: number;
let location: string | undefined;

beforeEach(async () => {
  target = await WireServer.start(() => json(free.good));
  server = await WireServer.start(({ path }) =>
    path === '/elsewhere'
      ? json(free.good)
      : reply({ status, body: 'Moved', headers: location === undefined ? [] : [['location', location]] }),
  );
});

const writes = new Set([patch, post, put]);

describe('no redirect is followed', () => {
  for (const [code, ofAWrite] of redirects) {
    for (const kind of classesOfCall) {
      const outcome = writes.has(kind) ? ofAWrite : 'rejected';

      it(`${String(code)} to another origin: ${kind.name} ends in RedirectError, ${outcome}, and the target sees nothing`, async () => {
        status = code;
        location = `${target.url}/v1/posts/`;
        const error = await rejection(kind.call(testClient(server.url).client));
        expect(error).toBeInstanceOf(RedirectError);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status: code, outcome, locationOrigin: target.url });
        expect((error as Error).message.includes('It may have been executed')).toBe(outcome === 'unknown');
        expect(server.requests).toHaveLength(1);
        expect(target.connections).toBe(0);
      });

      it(`${String(code)} to the same origin: ${kind.name} ends in RedirectError, ${outcome}, after 1 request`, async () => {
        status = code;
        location = '/elsewhere';
        const error = await rejection(kind.call(testClient(server.url).client));
        expect(error).toMatchObject({ name: 'RedirectError', status: code, outcome, locationOrigin: server.url });
        expect(server.requests).toHaveLength(1);
      });
    }
  }

  it.each([
    ['without a Location', undefined, undefined],
    ['with one that is no URL', 'https://[', undefined],
    ['with one of another scheme', 'data:text/plain,hi', undefined],
    [
      'with credentials in it, which are not told',
      'https://user:pass@elsewhere.example/x?y#z',
      'https://elsewhere.example',
    ],
    ['without a scheme', '//elsewhere.example/x', 'http://elsewhere.example'],
  ])('nor one %s', async (_, to, locationOrigin) => {
    status = 302;
    location = to;
    const error = await rejection(post.call(testClient(server.url).client));
    expect(error).toMatchObject({ name: 'RedirectError', status: 302 });
    expect((error as RedirectError).locationOrigin).toBe(locationOrigin);
    expect(String(error)).not.toContain('pass');
  });

  it('and its endless body is discarded', async () => {
    const endless = await WireServer.start(() =>
      raw('HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 999999\r\n\r\nabc', 'stay'),
    );
    expect(await rejection(post.call(testClient(endless.url).client))).toBeInstanceOf(RedirectError);
    await endless.allClosed();
  });

  it('by a fetch that hides them, as in a browser', async () => {
    const fetch = () =>
      Promise.resolve(
        Object.defineProperties(new Response(null), { type: { value: 'opaqueredirect' }, status: { value: 0 } }),
      );
    const { client } = testClient(server.url, { fetch });
    expect(await rejection(post.call(client))).toMatchObject({ name: 'RedirectError', outcome: 'unknown' });
    expect(await rejection(free.call(client))).toMatchObject({ name: 'RedirectError', outcome: 'rejected' });
  });

  it('also where the caller sends the key by a function, or none at all', async () => {
    status = 308;
    location = `${target.url}/v1/posts/`;
    for (const accessKey of [() => Promise.resolve('key'), null]) {
      expect(await rejection(post.call(testClient(server.url, { accessKey }).client))).toBeInstanceOf(RedirectError);
    }
    expect(target.connections).toBe(0);
  });
});
