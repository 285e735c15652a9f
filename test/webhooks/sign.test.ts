import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { signWebhook } from '../../src/webhooks/verify/signatures.js';
import vectors from '../vectors/webhook-signatures.json' with { type: 'json' };

const secret = 'whk_test_sign';

function expectedSignature(timestamp: string, body: string | Uint8Array, key = secret): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`;
}

describe('signWebhook', () => {
  it.each(vectors.vectors)('creates the known signature of the vector $name', async (vector) => {
    const headers = await signWebhook({
      body: Buffer.from(vector.bodyBase64, 'base64'),
      secret: vector.secret,
      timestamp: Number(vector.timestamp),
    });
    expect(headers['X-Service-Signature']).toBe(vector.signature);
    expect(headers['X-Service-Timestamp']).toBe(vector.timestamp);
  });

  it('creates every header that the API document lists', async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'post.published' });
    expect(await signWebhook({ body, secret, timestamp: 1_735_787_045 })).toEqual({
      'X-Service-Event-Id': 'evt_1',
      'X-Service-Event-Type': 'post.published',
      'X-Service-Timestamp': '1735787045',
      'X-Service-Signature': expectedSignature('1735787045', body),
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
    });
  });

  it.each([
    [-1, ''],
    [Number.NaN, ''],
    [1_735_787_045_000, ' This value looks like milliseconds: divide it by 1000.'],
  ])('refuses the timestamp %d', async (timestamp, hint) => {
    await expect(signWebhook({ body: '{}', secret, timestamp })).rejects.toThrow(
      new ConfigurationError(`The timestamp must be a number of seconds since 1970 with at most 12 digits.${hint}`),
    );
  });

  it('agrees with node:crypto on any bytes and any secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .string({ minLength: 1, unit: 'grapheme' })
          .filter((text) => !/^\s*(undefined|null)?\s*$|\*\*\*|[•…]/.test(text)),
        fc.integer({ min: 0, max: 999_999_999_999 }),
        async (body, key, timestamp) => {
          const headers = await signWebhook({ body, secret: key, timestamp });
          expect(headers['X-Service-Signature']).toBe(expectedSignature(String(timestamp), body, key));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('signs only the bytes that a view shows', async () => {
    const all = new TextEncoder().encode('before{"a":1}after');
    const [view, buffer] = [all.subarray(6, 13), all.slice(6, 13).buffer];
    const expected = expectedSignature('5', '{"a":1}');
    expect((await signWebhook({ body: view, secret, timestamp: 5 }))['X-Service-Signature']).toBe(expected);
    expect((await signWebhook({ body: buffer, secret, timestamp: 5 }))['X-Service-Signature']).toBe(expected);
  });

  it('uses the current second by default, and drops a fraction', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { 'X-Service-Timestamp': now } = await signWebhook({ body: '{}', secret });
    expect(Number(now)).toBeGreaterThanOrEqual(before);
    expect(Number(now)).toBeLessThanOrEqual(Date.now() / 1000);
    expect((await signWebhook({ body: '{}', secret, timestamp: 7.9 }))['X-Service-Timestamp']).toBe('7');
  });

  it.each([
    ['no JSON', 'hello'],
    ['no object', '[1]'],
    ['null', 'null'],
    ["an ID that isn't a string", '{"id":1,"type":{}}'],
    ['an ID that no header can hold', '{"id":"a\\nb","type":"é"}'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
  ])('leaves the event headers out for %s', async (_, body) => {
    const headers = await signWebhook({ body, secret });
    expect(Object.keys(headers)).toEqual(['X-Service-Timestamp', 'X-Service-Signature', 'Content-Type', 'User-Agent']);
  });

  it.each([
    ['an empty secret', ''],
    ['a masked secret', 'whk_***'],
    ['no text', undefined as unknown as string],
  ])('refuses %s', async (_, bad) => {
    await expect(signWebhook({ body: '{}', secret: bad })).rejects.toThrow(ConfigurationError);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1_735_787_045_000])(
    'refuses the timestamp %s',
    async (timestamp) => {
      await expect(signWebhook({ body: '{}', secret, timestamp })).rejects.toThrow(ConfigurationError);
    },
  );

  it('refuses a body that is neither text nor bytes', async () => {
    await expect(signWebhook({ body: {} as unknown as string, secret })).rejects.toThrow(ConfigurationError);
  });

  it('signs right with more secrets than it keeps keys for', async () => {
    const secrets = Array.from({ length: 70 }, (_, i) => `secret-${String(i)}`);
    for (const key of [...secrets, ...secrets]) {
      const headers = await signWebhook({ body: '{}', secret: key, timestamp: 1 });
      expect(headers['X-Service-Signature']).toBe(expectedSignature('1', '{}', key));
    }
  });
});
