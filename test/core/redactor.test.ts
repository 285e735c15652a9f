import { describe, expect, it } from 'vitest';
import {
  hideSecretFields,
  hidingSecretsOf,
  isSecretName,
  redactor,
  redactValue,
  secretsIn,
  secretsOf,
} from '../../src/core/redactor.js';

describe('redactor', () => {
  it.each([[['key-1234', 'key-1234-long']], [['key-1234-long', 'key-1234']]])(
    'removes a secret completely that contains another one, in any order: %j',
    (secrets) => {
      expect(redactor(secrets)('with key-1234-long and key-1234.')).toBe('with *** and ***.');
    },
  );

  it('takes the longest form first, where one secret is the encoded form of a part of another', () => {
    expect(redactor(['a/b+c', 'a%2Fb%2Bc-and-more'])('x a%2Fb%2Bc-and-more y a/b+c z a%2Fb%2Bc')).toBe(
      'x *** y *** z ***',
    );
  });

  it('removes all secrets in a text: plain, percent-encoded, and escaped as in JSON', () => {
    const secret = 'a"b\\c/d é';
    const text = [secret, encodeURIComponent(secret), JSON.stringify({ secret }), secret].join(' ');
    expect(redactor([secret])(text)).toBe('*** *** {"secret":"***"} ***');
  });

  it.each([
    ['HTML', (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ['decimal HTML', (text: string) => text.replace(/\W/gu, (one) => `&#${String(one.codePointAt(0))};`)],
    [
      'hexadecimal HTML',
      (text: string) => text.replace(/\W/gu, (one) => `&#x00${(one.codePointAt(0) ?? 0).toString(16)};`),
    ],
    ['HTML in HTML', (text: string) => text.replaceAll('&', '&amp;').replaceAll('&', '&amp;')],
    ['a URL in lower case', (text: string) => encodeURIComponent(text).toLowerCase()],
    ['a URL in a URL', (text: string) => encodeURIComponent(encodeURIComponent(text))],
    ['a URL, in part', (text: string) => encodeURI(text)],
    ['a form', (text: string) => new URLSearchParams({ text }).toString().slice(5)],
    ['JSON with \\/', (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
    [
      'JSON with \\u',
      (text: string) => text.replace(/[^\w]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    ['JSON in JSON', (text: string) => JSON.stringify(JSON.stringify(JSON.stringify(text))).slice(7, -7)],
  ])('removes a secret that is escaped for %s', (_, escape) => {
    const secret = 'k&y<1>"2"/3+4=5\\6 \u{1f600}\u00e9\n7.8-9';
    expect(redactor([secret.toLowerCase()])(`the key ${escape(secret.toLowerCase())} is wrong`)).toBe(
      'the key *** is wrong',
    );
  });

  it('takes out a secret of four characters, and leaves shorter ones, which would blank out words', () => {
    expect(redactor(['abcd', 'abc', ''])('abcd abc a')).toBe('*** abc a');
  });

  it('takes a lone surrogate, which can not be percent-encoded', () => {
    expect(redactor(['\uD800abc'])('an undefined \uD800abc')).toBe('an undefined ***');
  });

  it.each([101, 1_001, 60_000])(
    'removes a secret of %i characters, such as a certificate, escaped or not',
    (length) => {
      const secret = Array.from({ length }, (_, index) => `é ${String(index)}/`)
        .join('')
        .slice(0, length);
      const hidden = redactor([secret])(`the key ${secret} or ${encodeURIComponent(secret)} is wrong`);
      expect(hidden).toBe('the key *** or *** is wrong');
    },
  );

  it('removes long secrets that begin alike, such as tokens of one issuer', () => {
    const tokenOf = (user: string, length: number) =>
      Array.from({ length }, (_, index) => (index < 40 ? `é ${String(index)}` : `${user}${String(index)}`)).join('/');
    const tokens = [tokenOf('a', 160), tokenOf('b', 150)];
    expect(redactor(tokens)(tokens.join(' or '))).toBe('*** or ***');
  });

  it('leaves a text without secrets as it is', () => {
    expect(redactor([])('anything')).toBe('anything');
    expect(redactor(['secret-1'])('anything')).toBe('anything');
  });

  it('treats patterns as plain text', () => {
    expect(redactor(['.*.*', '$&$1'])('any .*.* and $&$1')).toBe('any *** and ***');
  });
});

it('isSecretName knows a name that speaks of a secret', () => {
  const secrets = ['accessToken', 'x-api-key', 'Set-Cookie', 'sslpassword', 'PASS', 'auth'];
  expect(secrets.filter(isSecretName)).toEqual(secrets);
  expect(['accessTokenExpiresAt', 'secretFile', 'author', 'authStatus', 'passive'].filter(isSecretName)).toEqual([]);
  expect(['keyword', 'content', ''].map(isSecretName)).toEqual([false, false, false]);
});

describe('secretsIn', () => {
  it.each([
    'secret',
    'webhookSecret',
    'token',
    'accessToken',
    'PASSWORD',
    'credentials',
    'Authorization',
    'cookie',
    'set-cookie',
    'apiKey',
    'api_key',
    'x-api-key',
    'accessKey',
    'x-access-key',
    'ACCESS_KEY',
  ])('finds the value of %s', (name) => {
    expect(secretsIn({ [name]: 'value' })).toEqual(['value']);
  });

  it.each(['key', 'keyword', 'content', 'accesskind', 'api', 'secre'])('takes %s for an ordinary name', (name) => {
    expect(secretsIn({ [name]: 'value' })).toEqual([]);
  });

  it('checks all values, at any depth, and all values below such a name', () => {
    expect(secretsIn({ a: [{ token: '1' }] }, { secret: { value: '2', list: ['3', { x: '4' }] } }, undefined)).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  it('finds only strings, and ignores strings without a name', () => {
    expect(secretsIn('text', null, 5, { token: 5, secret: null, password: true })).toEqual([]);
  });

  it('ends in what holds itself', () => {
    const loop: Record<string, unknown> = { token: 'value' };
    loop['inner'] = loop;
    expect(new Set(secretsIn(loop))).toEqual(new Set(['value']));
    let deep: object = { token: 'deep' };
    for (let depth = 1; depth < 10; depth += 1) deep = { deep };
    expect(secretsIn(deep)).toEqual(['deep']);
    expect(secretsIn({ deep })).toEqual([]);
  });
});

describe('secretsOf', () => {
  it('returns the strings of the named fields, and nothing if there are none', () => {
    expect(
      secretsOf({ params: ['a', 'none'], body: ['b', 'c'] }, { a: '1', x: '2' }, { b: '3', c: 4, d: '5' }),
    ).toEqual(['1', '3']);
    expect(secretsOf({ body: ['b'] }, { a: '1' }, undefined)).toEqual([]);
    expect(secretsOf({}, { a: '1' }, { b: '2' })).toEqual([]);
  });
});

describe('redactValue', () => {
  it('hides the strings of such names, and the given secrets in names and texts', () => {
    const value = { token: 'a', name: 'b', secret: 5, inner: { password: 'c', 'key-1234': ['d key-1234'] } };
    expect(redactValue(value, redactor(['key-1234']))).toEqual({
      token: '***',
      name: 'b',
      secret: 5,
      inner: { password: '***', '***': ['d ***'] },
    });
  });
});

describe('hideSecretFields', () => {
  it('hides only the values of such names, in JSON, in truncated JSON, and in JSON inside JSON', () => {
    expect(hideSecretFields('{"name":"a","token":"b\\"c", "x-api-key" : "d"}')).toBe(
      '{"name":"a","token":"***", "x-api-key" : "***"}',
    );
    expect(hideSecretFields('{"secret":"cut of')).toBe('{"secret":"***');
    expect(hideSecretFields(JSON.stringify({ said: '{"token":"b"}' }))).toBe(
      JSON.stringify({ said: '{"token":"***"}' }),
    );
    expect(hideSecretFields('no JSON')).toBe('no JSON');
  });

  it('hides them in JSON inside JSON up to three times, blanks or none', () => {
    let text = '{"name" : "a word", "x-api-key" : "whsec_1", "token":"whsec_2", "secret" :"whsec_3"}';
    for (let depth = 0; depth < 4; depth += 1) {
      const hidden = hideSecretFields(text);
      expect(hidden).toContain('a word');
      expect(hidden).not.toContain('whsec');
      expect(hidden.split('***')).toHaveLength(4);
      text = JSON.stringify({ said: text });
    }
  });

  it.each([
    ['one long text', `{"secret":"${'x'.repeat(10_000_000)}"}`],
    ['backslashes', `"${'\\'.repeat(1_000_000)}`],
    ['escapes', `{"secret":"${'\\n'.repeat(5_000_000)}"}`],
    ['quotes', '"a":'.repeat(1_000_000)],
    ['a long name', `\\"${'a'.repeat(1_000_000)}`],
  ])('reads only the beginning of a text of megabytes: %s', (_, text) => {
    const hidden = hideSecretFields(text);
    expect(hidden.length).toBeLessThanOrEqual(20_000);
    expect(hideSecretFields(text.slice(0, 20_000))).toBe(hidden);
  });
});

describe('hidingSecretsOf', () => {
  const plain = (text: string) => text;
  /** Returns the redacted text of a reply with these fields. */
  const hide = (reply: unknown, text: string) => hidingSecretsOf(JSON.stringify(reply), plain)(text);

  it('hides what else is said of a secret that a reply shows, at any depth and in JSON inside it', () => {
    const secret = 'whsec_0123456789';
    for (const reply of [{ secret }, { webhook: [{ secret }] }, { said: JSON.stringify({ secret }) }]) {
      expect(hide(reply, `twice ${secret}: ${secret}.`)).toBe('twice ***: ***.');
    }
    expect(hide({ name: secret }, `no secret: ${secret}`)).toBe(`no secret: ${secret}`);
  });

  it('keeps words of less than twelve characters that such a field may also contain', () => {
    expect(hide({ token: 'expired' }, 'The token expired.')).toBe('The token expired.');
    expect(hide({ token: '01234567890' }, '01234567890')).toBe('01234567890');
    expect(hide({ token: '012345678901' }, '012345678901')).toBe('***');
  });

  it('recognises a secret in any JSON encoding', () => {
    const secret = 'a "quoted" \\ secret';
    expect(hide({ secret }, `It is ${secret}.`)).toBe('It is ***.');
    expect(hide({ secret }, `It is ${JSON.stringify(secret)}.`)).toBe('It is "***".');
  });

  it('takes a reply that ends in the midst of a secret', () => {
    expect(hidingSecretsOf('{"secret":"whsec_0123456789\\u00', plain)('whsec_0123456789\\u00')).toBe('***');
  });

  it('removes the secrets of the call first', () => {
    const hidden = hidingSecretsOf(JSON.stringify({ secret: 'whsec_0123456789' }), redactor(['key-1234']));
    expect(hidden('key-1234 and whsec_0123456789')).toBe('*** and ***');
  });

  it('reads the beginning of a reply of megabytes', () => {
    const secret = 'whsec_0123456789';
    const long = 'x'.repeat(10_000_000);
    expect(hide({ secret, token: long }, `It is ${secret}.`)).toBe('It is ***.');
    expect(hide({ content: long, secret }, 'It is short.')).toBe('It is short.');
  });
});
