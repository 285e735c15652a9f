import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { classifyNetworkError, errorCodes, networkReason } from '../../src/http/failures.js';

/** An error of Node's net, dns, tls or zlib. */
const coded = (code: string, fields: object = {}, message = `it ended with ${code}`) =>
  Object.assign(new Error(message), { code, ...fields });
/** As Node's `fetch` rejects. */
const byFetch = (cause: unknown) => new TypeError('fetch failed', { cause });
const kindOf = (error: unknown) => classifyNetworkError(error).kind;

describe('classifyNetworkError', () => {
  it.each([
    'ECONNREFUSED',
    'ConnectionRefused',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_INVALID_ARG',
    'UND_ERR_NOT_SUPPORTED',
  ])('takes %s for proof that nothing was sent, bare and under the error of fetch', (code) => {
    expect(kindOf(coded(code))).toBe('not_sent');
    expect(kindOf(byFetch(coded(code)))).toBe('not_sent');
  });

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ENETDOWN', ''])(
    'takes %s for no proof of anything',
    (code) => {
      expect(kindOf(byFetch(coded(code)))).toBe('lost');
    },
  );

  it('takes a port that fetch refuses for proof, where fetch itself says so', () => {
    expect(kindOf(byFetch(new Error('bad port')))).toBe('not_sent');
    expect(kindOf(byFetch(new Error('another word')))).toBe('lost');
    expect(kindOf(byFetch({ message: 'bad port' }))).toBe('lost');
    expect(kindOf(byFetch(coded('ECONNRESET', {}, 'a bad port')))).toBe('lost');
  });

  it('takes ETIMEDOUT for proof where connecting timed out, and nowhere else', () => {
    expect(kindOf(byFetch(coded('ETIMEDOUT', { syscall: 'connect' })))).toBe('not_sent');
    expect(kindOf(byFetch(coded('ETIMEDOUT', { syscall: 'read' })))).toBe('lost');
    expect(kindOf(byFetch(coded('ETIMEDOUT')))).toBe('lost');
    expect(kindOf(byFetch(coded('ECONNRESET', { syscall: 'connect' })))).toBe('not_sent');
  });

  describe('of a name with several addresses', () => {
    const all = (...errors: unknown[]) => byFetch(new AggregateError(errors));
    const refused = coded('ECONNREFUSED', { syscall: 'connect' });
    const timedOut = coded('ETIMEDOUT', { syscall: 'connect' });
    const reset = coded('ECONNRESET', { syscall: 'read' });

    it('takes it for not sent where no address could be connected to', () => {
      expect(kindOf(all(refused, timedOut))).toBe('not_sent');
      expect(kindOf(all(refused))).toBe('not_sent');
    });

    it('takes it for lost where one of them proves nothing, whichever comes first', () => {
      expect(kindOf(all(refused, reset))).toBe('lost');
      expect(kindOf(all(reset, refused))).toBe('lost');
      expect(kindOf(all(refused, new Error('no code')))).toBe('lost');
      expect(kindOf(all(refused, undefined))).toBe('lost');
    });

    it('goes by the errors inside, not by the code that Node puts on them all', () => {
      const mixed = Object.assign(new AggregateError([refused, reset]), { code: 'ECONNREFUSED' });
      expect(kindOf(byFetch(mixed))).toBe('lost');
    });

    it('searches errors inside errors', () => {
      expect(kindOf(all(new AggregateError([refused, timedOut]), new Error('x', { cause: refused })))).toBe('not_sent');
      expect(kindOf(all(new AggregateError([refused, reset])))).toBe('lost');
    });

    it('goes by its own code where it holds no errors', () => {
      expect(kindOf(byFetch(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })))).toBe('not_sent');
      expect(kindOf(byFetch(new AggregateError([])))).toBe('lost');
      expect(kindOf(Object.assign(new Error('x'), { errors: 'none', code: 'ENOTFOUND' }))).toBe('not_sent');
    });

    it('stops at an error that contains itself', () => {
      const endless = new AggregateError([refused]);
      endless.errors.push(endless);
      expect(kindOf(endless)).toBe('lost');
    });

    it('takes a broken body at one of them for a body that can not be read', () => {
      expect(kindOf(all(coded('Z_DATA_ERROR'), reset))).toBe('unreadable');
    });

    it('takes a refused certificate at one address for a failed handshake', () => {
      expect(kindOf(all(coded('CERT_HAS_EXPIRED'), refused))).toBe('unsendable');
      expect(kindOf(all(coded('CERT_HAS_EXPIRED'), reset))).toBe('lost');
    });
  });

  it.each([undefined, null, 'ECONNREFUSED', 5, {}, new Error('no code'), { code: 5 }])(
    'takes %j for lost: it proves nothing',
    (error) => {
      expect(kindOf(error)).toBe('lost');
    },
  );

  it('goes by the innermost error, as far as six deep', () => {
    const nested = (depth: number): Error =>
      depth === 0 ? coded('ECONNREFUSED') : new Error('outer', { cause: nested(depth - 1) });
    expect(kindOf(nested(5))).toBe('not_sent');
    expect(kindOf(nested(6))).toBe('not_sent');
    expect(kindOf(nested(7))).toBe('lost');
    const endless = new Error('endless');
    endless.cause = endless;
    expect(kindOf(endless)).toBe('lost');
    expect(kindOf(Object.assign(new Error('x', { cause: null }), { code: 'ENOTFOUND' }))).toBe('not_sent');
    expect(kindOf(Object.assign(new Error('x', { cause: new Error('reset') }), { code: 'ENOTFOUND' }))).toBe('lost');
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'HOSTNAME_MISMATCH',
  ])('classifies %s as a refused certificate, from any source', (code) => {
    expect(kindOf(coded(code))).toBe('unsendable');
    expect(kindOf(byFetch(coded(code)))).toBe('unsendable');
    expect(kindOf(coded(`X_${code}`))).toBe('lost');
  });

  it.each([
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
    'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
    'ERR_SSL_HTTP_REQUEST',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  ])('takes %s for a failed handshake only in the words of the handshake', (code) => {
    expect(kindOf(byFetch(coded(code)))).toBe('unsendable');
    expect(kindOf(new Error('outer', { cause: byFetch(coded(code)) }))).toBe('unsendable');
    expect(kindOf(coded(code))).toBe('lost');
    expect(kindOf(new TypeError('terminated', { cause: coded(code) }))).toBe('lost');
    expect(kindOf(new Error('fetch failed', { cause: coded(code) }))).toBe('lost');
    const endless = coded(code);
    endless.cause = endless;
    expect(kindOf(endless)).toBe('lost');
    expect(kindOf(byFetch(endless))).toBe('unsendable');
  });

  it('knows the errors of another realm, as Jest has one', () => {
    const foreign = (code: string) => runInNewContext(`new TypeError('fetch failed', { cause: ${code} })`) as unknown;
    expect(kindOf(foreign("new Error('bad port')"))).toBe('not_sent');
    expect(kindOf(foreign("Object.assign(new Error('x'), { code: 'EPROTO' })"))).toBe('unsendable');
    expect(networkReason(foreign("new Error('other side closed')"))).toBe('other side closed');
    expect(kindOf({ [Symbol.toStringTag]: 'Error' })).toBe(kindOf(undefined));
  });

  it('finds handshake messages as deep as codes', () => {
    const nested = (depth: number): Error =>
      depth === 0 ? byFetch(coded('EPROTO')) : new Error('outer', { cause: nested(depth - 1) });
    expect(kindOf(nested(5))).toBe('unsendable');
    expect(kindOf(nested(6))).toBe('lost');
  });

  it.each(['EPROTOTYPE', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'X_EPROTO'])(
    'takes %s for lost: it comes in mid-connection too',
    (code) => {
      expect(kindOf(byFetch(coded(code)))).toBe('lost');
    },
  );

  it.each([
    'Z_DATA_ERROR',
    'Z_BUF_ERROR',
    'ERR__ERROR_FORMAT_PADDING_1',
    'ERR_BROTLI_INVALID',
    'ZSTD_error_corruption_detected',
  ])('takes %s for a body that can not be read', (code) => {
    expect(kindOf(new TypeError('terminated', { cause: coded(code) }))).toBe('unreadable');
    expect(kindOf(coded(`X_${code}`))).toBe('lost');
  });

  it.each(['Z_MEM_ERROR', 'Z_DATA_ERRORS'])('takes %s for lost', (code) => {
    expect(kindOf(coded(code))).toBe('lost');
  });
});

describe('errorCodes', () => {
  it('returns the codes of the innermost errors, in their order, and nothing without a code', () => {
    const several = new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT'), new Error('no code')]);
    expect(errorCodes(byFetch(several))).toEqual(['ECONNREFUSED', 'ETIMEDOUT', '']);
    for (const error of [null, undefined, 'ENOTFOUND', { code: 5 }]) expect(errorCodes(error)).toEqual(['']);
  });
});

describe('networkReason', () => {
  it('takes the reason out of the text of OpenSSL', () => {
    const text =
      '408DE421077F0000:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:918:SSL alert number 40\n';
    for (const quoted of [text, `write EPROTO ${text}`]) {
      expect(networkReason(new TypeError('fetch failed', { cause: new Error(quoted) }))).toBe(
        'the TLS connection failed (ssl/tls alert handshake failure)',
      );
    }
  });

  it("returns the innermost error's message, on one line", () => {
    expect(networkReason(byFetch(coded('ECONNRESET', {}, 'read ECONNRESET')))).toBe('read ECONNRESET');
    expect(networkReason(byFetch(new AggregateError([new Error('first'), new Error('second')])))).toBe('first');
    expect(networkReason(byFetch(new Error(' 40:error:0A\n  wrong\r\n version\n')))).toBe('40:error:0A wrong version');
  });

  it.each([new Error(''), new Error(' \n'), 'a text', undefined])('says something where %j says nothing', (error) => {
    expect(networkReason(error)).toBe('the connection failed');
  });
});
