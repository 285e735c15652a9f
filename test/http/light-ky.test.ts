import { build } from 'esbuild';
import ky, { isNetworkError } from 'ky';
import { beforeAll, describe, expect, it } from 'vitest';
import { lightKy } from '../../scripts/light-ky.js';

interface Ky {
  readonly default: typeof ky;
  readonly isNetworkError: typeof isNetworkError;
}

/** As src/http/exchange.ts calls it. */
const constants = { retry: 0, timeout: false, throwHttpErrors: false } as const;
const url = 'https://api.test/v1/posts/?limit=1';

let light: Ky;
let lightText = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { default, isNetworkError } from 'ky';", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [lightKy],
  });
  lightText = outputFiles[0]?.text ?? '';
  light = (await import(`data:text/javascript,${encodeURIComponent(lightText)}`)) as Ky;
});

/** What comes of a call, without the stack and the request of an error. */
async function outcome(of: Ky, fetch: () => Promise<Response>): Promise<unknown> {
  try {
    return { reply: await of.default(url, { ...constants, fetch }) };
  } catch (error) {
    const isNetwork = of.isNetworkError(error);
    if (!isNetwork) return { error };
    const { message, cause } = error as Error;
    return { isNetwork, message, cause };
  }
}

function safariError(): TypeError {
  const error = new TypeError('Load failed');
  Object.defineProperty(error, 'stack', { value: undefined });
  return error;
}

const replies: readonly Response[] = [
  Response.json({ success: true }),
  new Response(null, { status: 204 }),
  new Response(null, { status: 302, headers: { location: 'https://other.test' } }),
  new Response('no', { status: 404 }),
  new Response('no', { status: 429, headers: { 'retry-after': '1' } }),
  new Response('no', { status: 503 }),
  Response.error(),
  { status: 200, ok: true, headers: new Headers() } as Response, // As a careless mock gives it.
];

const failures: readonly unknown[] = [
  new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
  new TypeError('terminated'),
  new TypeError('Failed to fetch'),
  new TypeError('Failed to fetch (api.test)'),
  new TypeError('NetworkError when attempting to fetch resource.'),
  new TypeError('error sending request for url (https://api.test)'),
  new TypeError('Network connection lost'),
  safariError(),
  new TypeError('undefined is no function'),
  new DOMException('aborted', 'AbortError'),
  new RangeError('fetch failed'),
  'a text',
  undefined,
];

describe('ky as it is bundled', () => {
  it.each(replies)('hands back what ky hands back: %#', async (reply) => {
    const fetch = () => Promise.resolve(reply);
    const [whole, lighter] = [await outcome({ default: ky, isNetworkError }, fetch), await outcome(light, fetch)];
    expect((lighter as { reply: unknown }).reply).toBe(reply);
    expect((whole as { reply: unknown }).reply).toBe(reply);
  });

  it.each(failures)('fails as ky fails: %#', async (failure) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a replacement of fetch may do so
    const fetch = () => Promise.reject<Response>(failure);
    expect(await outcome(light, fetch)).toEqual(await outcome({ default: ky, isNetworkError }, fetch));
  });

  it('fails as ky fails where fetch throws at once', async () => {
    const fetch = (): never => {
      throw new TypeError('fetch failed');
    };
    expect(await outcome(light, fetch)).toEqual(await outcome({ default: ky, isNetworkError }, fetch));
    expect(await outcome(light, fetch)).toMatchObject({ isNetwork: true });
  });

  it('holds no features that are switched off', () => {
    expect(lightText).toContain('class extends KyError');
    for (const off of ['beforeRequest', 'retryOnTimeout', 'searchParams', 'setTimeout', 'replaceOption'])
      expect(lightText).not.toContain(off);
  });
});
