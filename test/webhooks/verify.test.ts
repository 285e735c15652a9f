import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ConfigurationError,
  signWebhook,
  SocialPublishingError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../src/webhooks/index.js';
import { now, published, runVerifyCase, secret, verifyCases } from './verify-suite.js';

const text = JSON.stringify(published);
const seconds = now / 1000;
const sign = (body: string | Uint8Array) => signWebhook({ body, secret, timestamp: seconds });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('verifyWebhook', () => {
  it.each(verifyCases)('$name', async (verifyCase) => {
    expect(await runVerifyCase(verifyWebhook, verifyCase)).toBeUndefined();
  });
});

describe('verifyWebhook, on Node', () => {
  it('takes what signWebhook signs, for any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (payload) => {
        const body = JSON.stringify(payload);
        // Such keys are removed at any depth; separate tests show that.
        fc.pre(!body.includes('__proto__'));
        const event = await verifyWebhook({ body, headers: await sign(body), secret, now: () => now });
        expect(event.known ? event : event.payload).toEqual(
          event.known ? { ...JSON.parse(body), known: true } : JSON.parse(body),
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['bodi', 'body'],
    ['header', 'headers'],
    ['secrets', 'secret'],
    ['toleranceSecond', 'toleranceSeconds'],
    ['nwo', 'now'],
  ])('reports %s, which was meant as %s', async (given, meant) => {
    const delivery = { body: text, headers: await sign(text), secret, now: () => now, [given]: 1 };
    const refused = verifyWebhook(delivery);
    await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refused).rejects.toThrow(new RegExp(`'${given}'.*'${meant}'`));
  });

  it('refuses a body with any one bit turned', async () => {
    const headers = await sign(text);
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const turned = Uint8Array.from(bytes);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        await expect(verifyWebhook({ body: turned, headers, secret, now: () => now })).rejects.toMatchObject({
          code: 'signature_mismatch',
        });
      }),
      { numRuns: 200 },
    );
  });

  it('refuses a signature with any one digit changed', async () => {
    const headers = await sign(text);
    const signature = headers['X-Service-Signature'] ?? '';
    for (let at = 7; at < signature.length; at += 1) {
      const digit = signature[at] === '0' ? '1' : '0';
      const forged = {
        ...headers,
        'X-Service-Signature': `${signature.slice(0, at)}${digit}${signature.slice(at + 1)}`,
      };
      await expect(verifyWebhook({ body: text, headers: forged, secret, now: () => now })).rejects.toMatchObject({
        code: 'signature_mismatch',
      });
    }
  });

  it('reads the signed body, although the bytes are overwritten meanwhile', async () => {
    const body = new TextEncoder().encode(text);
    const pending = verifyWebhook({ body, headers: await sign(text), secret, now: () => now });
    body.set(new TextEncoder().encode(text.replace('evt_1', 'evt_2')));
    expect((await pending).id).toBe('evt_1');
  });

  it('takes a Buffer out of the pool, shared memory, and bytes of another realm', async () => {
    const headers = await sign(text);
    const shared = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)));
    shared.set(Buffer.from(text));
    const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: [...Buffer.from(text)] }) as Uint8Array;
    expect(foreign).not.toBeInstanceOf(Uint8Array);
    for (const body of [
      Buffer.from(text),
      shared,
      shared.buffer as unknown as ArrayBuffer,
      foreign,
      foreign.buffer as ArrayBuffer,
    ]) {
      expect((await verifyWebhook({ body, headers, secret, now: () => now })).id).toBe('evt_1');
    }
  });

  const messageOf = async (options: Partial<Parameters<typeof verifyWebhook>[0]>) => {
    const given = { body: text, headers: await sign(text), secret, now: () => now, ...options };
    const error: unknown = await verifyWebhook(given).catch((thrown: unknown) => thrown);
    return (error as Error).message;
  };
  const withHeaders = async (changed: object) => messageOf({ headers: { ...(await sign(text)), ...changed } });

  it('says that a timestamp is in seconds', async () => {
    for (const wrong of ['1735787045000', '17357870450000', '1735787045000 ', 'x']) {
      const message = 'The header x-service-timestamp must be 1 to 12 digits, in seconds.';
      expect(await withHeaders({ 'X-Service-Timestamp': wrong })).toBe(message);
    }
    await expect(signWebhook({ body: text, secret, timestamp: 1_735_787_045_000 })).rejects.toThrow(
      'divide it by 1000',
    );
  });

  it('reports the age of a delivery, the maximum age, and the possible cause', async () => {
    expect(await messageOf({ now: () => now + 400_500 })).toMatch(
      /signed 400\.5 seconds ago.*allows 300 seconds.*clock/,
    );
    expect(await messageOf({ now: () => now - 3_600_000, toleranceSeconds: 1.5 })).toMatch(
      /3600 seconds in the future.*allows 1\.5 seconds.*service\.clock\.now\(\)/,
    );
  });

  it('reports the disagreeing values, and what to check', async () => {
    expect(await messageOf({ secret: 'whk_another' })).toMatch(
      /signature does not match the body.*secret.*this subscription.*byte for byte/,
    );
    expect(await messageOf({ body: 'x'.repeat(1_048_577) })).toBe(
      'The body of the delivery has more than 1048576 bytes, and was not verified.',
    );
    expect(await messageOf({ body: '[]', headers: await sign('[]') })).toMatch(
      /signature is valid, but the body is not a JSON object/,
    );
    expect(await withHeaders({ 'X-Service-Event-Id': 'evt_2' })).toBe(
      "The event ID in the header differs from the body's.",
    );
    expect(await withHeaders({ 'X-Service-Event-Type': 'post.new' })).toBe(
      "The event type in the header differs from the body's.",
    );
  });

  it('takes a body of the greatest size as text, and counts bytes, not letters', async () => {
    const padded = (letter: string, count: number) => JSON.stringify({ a: letter.repeat(count) });
    const greatest = padded('x', 1_048_568);
    expect((await verifyWebhook({ body: greatest, headers: await sign(greatest), secret, now: () => now })).known).toBe(
      false,
    );
    const wide = padded('é', 600_000);
    await expect(verifyWebhook({ body: wide, headers: await sign(wide), secret })).rejects.toMatchObject({
      code: 'body_too_large',
    });
  });

  it.each([5, 'now', {}])('refuses a clock that is not a function: %j', async (clock) => {
    const given = { body: text, headers: await sign(text), secret, now: clock as never };
    await expect(verifyWebhook(given)).rejects.toThrow(new ConfigurationError('now must be a function.'));
  });

  it.each([NaN, Infinity, '5', undefined])(
    'refuses a clock that returns %s, also without a tolerance',
    async (time) => {
      const given = { body: text, headers: await sign(text), secret, now: () => time as number };
      for (const toleranceSeconds of [300, false] as const)
        await expect(verifyWebhook({ ...given, toleranceSeconds })).rejects.toThrow(
          /^now\(\) must return a finite number/,
        );
    },
  );

  it('names the header that is missing, doubled or malformed', async () => {
    expect(await withHeaders({ 'X-Service-Signature': undefined })).toContain('x-service-signature is missing');
    expect(await withHeaders({ 'X-Service-Timestamp': ['1', '2'] })).toContain(
      'x-service-timestamp occurs more than once',
    );
    expect(await withHeaders({ 'X-Service-Signature': 'sha1=0' })).toMatch(
      /x-service-signature must be 'sha256=' and 64/,
    );
  });

  it.each([[''], [' '], [undefined], [[]], [() => '']])('says where a secret comes from that is %j', async (bad) => {
    expect(await messageOf({ secret: bad as string })).toMatch(
      /notifications\.create\(\).*webhook\.secret.*environment/,
    );
  });

  it.each([[() => secret], [() => [secret]], [() => Promise.resolve(['the new one', secret])]])(
    'asks a function for the secret: %s',
    async (asked) => {
      const event = await verifyWebhook({ body: text, headers: await sign(text), secret: asked, now: () => now });
      expect(event.id).toBe('evt_1');
    },
  );

  it('lets the error of such a function through as it is', async () => {
    const error = new Error('vault');
    const asked = () => Promise.reject(error);
    await expect(verifyWebhook({ body: text, headers: await sign(text), secret: asked })).rejects.toBe(error);
  });

  it('takes the real time by default', async () => {
    expect((await verifyWebhook({ body: text, headers: await signWebhook({ body: text, secret }), secret })).id).toBe(
      'evt_1',
    );
    const stale = await signWebhook({ body: text, secret, timestamp: Date.now() / 1000 - 400 });
    await expect(verifyWebhook({ body: text, headers: stale, secret })).rejects.toMatchObject({
      code: 'timestamp_too_old',
    });
  });

  it('imports the key of each secret once', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const key = 'a secret that no other test has';
    const headers = await signWebhook({ body: text, secret: key });
    for (let i = 0; i < 3; i += 1) await verifyWebhook({ body: text, headers, secret: ['and one that is new', key] });
    expect(importKey).toHaveBeenCalledTimes(2);
  });

  it('compares with WebCrypto, which takes the same time whatever differs', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    await verifyWebhook({ body: text, headers: await sign(text), secret, now: () => now });
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it.each([[undefined], [{}]])('says so where the runtime has no WebCrypto (%j)', async (crypto) => {
    const headers = await sign(text);
    vi.stubGlobal('crypto', crypto);
    await expect(verifyWebhook({ body: text, headers, secret, now: () => now })).rejects.toThrow(ConfigurationError);
  });

  it('throws errors that instanceof knows, and never throws before it is awaited', async () => {
    const refused = verifyWebhook({ body: text, headers: {}, secret });
    await expect(refused).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(refused).rejects.toBeInstanceOf(SocialPublishingError);
    const misbuilt = verifyWebhook({ body: text, headers: {}, secret: '' });
    await expect(misbuilt).rejects.toBeInstanceOf(ConfigurationError);
    const empty = verifyWebhook(undefined as never);
    await expect(empty).rejects.toThrow(new ConfigurationError('options must be an object.'));
  });

  it('names the remedy of the usual frameworks where a body was parsed before', async () => {
    const body = JSON.parse(text) as string;
    const error: unknown = await verifyWebhook({ body, headers: await sign(text), secret, now: () => now }).catch(
      (e: unknown) => e,
    );
    expect((error as Error).message).toMatch(
      /Express.*express\.raw.*NestJS.*rawBody: true.*Fastify.*parseAs.*Next\.js.*request\.text\(\).*Lambda.*isBase64Encoded/s,
    );
    expect(inspect(error)).not.toContain('evt_1');
  });

  it('returns an event from which no prototype can be reached', async () => {
    const body = `{"__proto__":{"admin":true},"id":"e","type":"post.failed","data":{"post":{"id":"p","__proto__":{"admin":true}},"platforms":[]}}`;
    const event = await verifyWebhook({ body, headers: await sign(body), secret, now: () => now });
    expect(Object.hasOwn(event, '__proto__')).toBe(false);
    expect((event as { admin?: boolean }).admin).toBeUndefined();
    expect(event.known && (Object.assign({}, event.data.post) as { admin?: boolean }).admin).toBeUndefined();
  });
});
