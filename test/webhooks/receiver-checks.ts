import { expect } from 'vitest';
import { signWebhook } from '../../src/webhooks/index.js';
import { published, secret } from './verify-suite.js';

const text = JSON.stringify(published);

/** Sends a signed delivery and returns the status of its reply. */
export async function deliver(
  url: string,
  body: string | Uint8Array<ArrayBuffer> = text,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...(await signWebhook({ body, secret })), ...headers },
  });
  await response.text();
  return response.status;
}

/** Checks the behaviour of a receiver in any framework. */
export async function expectReceiver(url: string): Promise<void> {
  expect(await deliver(url), 'a delivery').toBe(200);
  expect(await deliver(url), 'the same once more').toBe(200);
  expect(await deliver(url, text, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` }), 'a forged one').toBe(401);
  // Characters that a body parser would change: a byte-order mark, spaces, escapes.
  const odd = `\ufeff${JSON.stringify({ ...published, id: 'evt_odd' }, null, 3).replace('ü', '\\u00fc')}\r\n`;
  expect(await deliver(url, new TextEncoder().encode(odd)), 'odd bytes').toBe(200);
  expect(await deliver(url, JSON.stringify({ a: 'x'.repeat(1_048_576) })), 'a large body').toBe(413);
  expect(await deliver(url, 'not JSON'), 'no JSON').toBe(400);
}
