import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { ConnectionError, TimeoutError } from '../../src/core/errors.js';
import { rejection, testClient, testKey } from '../policies/client.js';

const coded = (code: string, message = `it ended with ${code}`) => Object.assign(new Error(message), { code });
/** As Node's `fetch` rejects. */
const byFetch = (cause: unknown) => new TypeError('fetch failed', { cause });

type Call = (client: SocialPublishing) => PromiseLike<unknown>;
const read: Call = (client) => client.posts.list();

/** Makes a call whose `fetch` rejects, without a retry. */
async function failed(error: Error, call = read, baseUrl = 'https://api.test'): Promise<ConnectionError> {
  const { client } = testClient(baseUrl, { maxRetries: 0, fetch: () => Promise.reject(error) });
  const thrown = await rejection(call(client));
  expect(thrown).toBeInstanceOf(ConnectionError);
  return thrown as ConnectionError;
}

const unsent = 'The service never saw it, so it is safe to call again.';
const isRead = 'It is a read, so it is safe to call again.';
const lost = 'GET /v1/posts/ got no whole reply (attempt 1):';
const notSent = 'GET /v1/posts/ could not be sent (attempt 1):';

/** What to do about these codes, each of which proves that nothing was sent. */
const hints = {
  'Nothing listens there: check the host and the port of baseUrl.': ['ECONNREFUSED', 'ConnectionRefused'],
  'The host of baseUrl was not found: check its spelling, and DNS.': ['ENOTFOUND', 'EAI_AGAIN'],
  'The server at baseUrl does not speak TLS on that port. Does its address begin with http:, or is the port wrong?': [
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'ERR_SSL_HTTP_REQUEST',
  ],
  'The certificate is made for another host: check the host of baseUrl.': [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
  ],
  'The certificate of baseUrl is not trusted: in Node, set NODE_EXTRA_CA_CERTS to a file with its authority.': [
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ],
};

describe('the message of a failed connection', () => {
  it.each(Object.entries(hints).flatMap(([hint, codes]) => codes.map((code) => [code, hint])))(
    'says what to do about %s, which proves that nothing was sent',
    async (code, hint) => {
      const error = await failed(byFetch(coded(code)));
      expect(error).toMatchObject({
        message: `${notSent} it ended with ${code}. ${hint} ${unsent}`,
        outcome: 'not_sent',
        attempts: 1,
        method: 'GET',
        route: '/v1/posts/',
      });
    },
  );

  it('asks for the emulator if nothing listens on this machine', async () => {
    for (const baseUrl of ['http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010']) {
      expect((await failed(byFetch(coded('ECONNREFUSED')), read, baseUrl)).message).toBe(
        `${notSent} it ended with ECONNREFUSED. Nothing listens there: is the emulator running ` +
          `(npx social-publishing emulator), and on that port? ${unsent}`,
      );
    }
  });

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'X_ENOTFOUND', 'ENOTFOUND_X', 'ECONNREFUSED_X', 'X_CERT_'])(
    'has no advice about %s, which proves nothing',
    async (code) => {
      const error = await failed(byFetch(coded(code)));
      expect(error.message).toBe(`${lost} it ended with ${code}. ${isRead}`);
      expect(error.outcome).toBe('unknown');
    },
  );

  it.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'explains the words of a browser: %s',
    async (words) => {
      const error = await failed(new TypeError(words));
      expect(error.message).toBe(
        `${lost} ${words.replace(/\.$/, '')}. A browser reports no details: the page may be offline, or the server at ` +
          `baseUrl does not allow the page's origin (CORS). ${isRead}`,
      );
    },
  );

  it.each(['It Failed to fetch', 'Failed to fetch it', 'Load failed now'])(
    'knows only these words: %s',
    async (words) => {
      expect((await failed(new TypeError(words))).message).toBe(`${lost} ${words}. ${isRead}`);
    },
  );

  it.each<[string, Call, string]>([
    ['a read', read, isRead],
    [
      'a write',
      (client) => client.posts.create({ content: 'Hello', saveAsDraft: true }),
      'It may have been executed: check before you call again.',
    ],
    [
      'a call with a cost',
      (client) => client.analytics.getPost('post_1'),
      'It may have cost its credit, and calling again may cost another.',
    ],
    [
      'a call whose success costs',
      (client) => client.analytics.getInstagramInsights({ accountId: 'int_1' }),
      'It may have cost its credit, and calling again may cost another.',
    ],
  ])('says whether you can call again: %s', async (_, call, advice) => {
    expect((await failed(byFetch(coded('ECONNRESET')), call)).message).toMatch(new RegExp(`ECONNRESET\\. ${advice}$`));
    const refused = await failed(byFetch(coded('ECONNREFUSED')), call);
    expect(refused.message.endsWith(`of baseUrl. ${unsent}`)).toBe(true);
    expect(refused.outcome).toBe('not_sent');
  });

  it('does not deny that a server speaks TLS if it refused the handshake with an alert', async () => {
    const alert =
      'write EPROTO 408DE421077F0000:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../rec_layer_s3.c:918:SSL alert number 40\n';
    expect((await failed(byFetch(coded('EPROTO', alert)))).message).toBe(
      `${notSent} the TLS connection failed (sslv3 alert handshake failure). ${unsent}`,
    );
  });

  it('and its cause quote an error of another realm, as Jest has one', async () => {
    const thrown = runInNewContext("new TypeError('fetch failed', { cause: new Error('other side closed') })") as Error;
    const error = await failed(thrown);
    expect(error.message).toBe(`${lost} other side closed. ${isRead}`);
    expect(error.cause).toMatchObject({ name: 'TypeError', cause: { message: 'other side closed' } });
  });

  it('contains one full stop after the reason, and no secret', async () => {
    const error = await failed(byFetch(coded('ECONNRESET', `It closed at ${testKey}.`)));
    expect(error.message).toBe(`${lost} It closed at ***. ${isRead}`);
    expect(error.cause).toMatchObject({ message: 'fetch failed' });
    expect(JSON.stringify(error)).not.toContain(testKey);
  });
});

describe('the message of a time-out', () => {
  const silent = () => new Promise<Response>(() => undefined);
  const timedOut = async (baseUrl: string, options: object) => {
    const { client } = testClient(baseUrl, { maxRetries: 0, fetch: silent, ...options });
    const error = await rejection(client.posts.list());
    expect(error).toBeInstanceOf(TimeoutError);
    return error as TimeoutError;
  };

  it('names the option that ended the call, and its limit', async () => {
    expect(await timedOut('https://api.test', { timeoutMs: 5 })).toMatchObject({
      message: `GET /v1/posts/ timed out: no whole reply within 5 ms (timeoutMs, attempt 1). ${isRead}`,
      outcome: 'unknown',
      timeoutMs: 5,
      attempts: 1,
    });
    expect(await timedOut('https://api.test', { totalTimeoutMs: 5 })).toMatchObject({
      message: `GET /v1/posts/ timed out: no whole reply within 5 ms (totalTimeoutMs, attempt 1). ${isRead}`,
      timeoutMs: 5,
    });
  });

  it.each([200, 400, 429, 500])('names a status %i that arrived before its body stopped', async (status) => {
    const fetch = () => Promise.resolve(new Response(new ReadableStream(), { status }));
    expect(await timedOut('https://api.test:8080', { timeoutMs: 5, fetch })).toMatchObject({
      message: `GET /v1/posts/ timed out: status ${String(status)} arrived, but not its whole body within 5 ms (timeoutMs, attempt 1). ${isRead}`,
      outcome: 'unknown',
    });
  });

  it('asks whether a port of its own speaks TLS', async () => {
    expect((await timedOut('https://api.test:8080', { timeoutMs: 5 })).message).toBe(
      'GET /v1/posts/ timed out: no whole reply within 5 ms (timeoutMs, attempt 1). ' +
        `Does that port speak TLS, or should baseUrl begin with http:? ${isRead}`,
    );
    expect((await timedOut('http://127.0.0.1:8080', { timeoutMs: 5 })).message).not.toContain('TLS');
  });

  it('says that the key did not arrive: nothing was sent', async () => {
    const accessKey = () => new Promise<string>(() => undefined);
    expect(await timedOut('https://api.test', { timeoutMs: 5, accessKey })).toMatchObject({
      message: `GET /v1/posts/ timed out: the accessKey function returned no key within 5 ms (timeoutMs, attempt 0). ${unsent}`,
      outcome: 'not_sent',
      attempts: 0,
    });
  });
});
