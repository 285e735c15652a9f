import { expect, it } from 'vitest';
import { parseUrl } from '../../src/core/parse-url.js';

it('parses a URL with letters such as ü, however often it was called', () => {
  // URL.canParse of Node 20 and 22 refuses it once V8 has optimized the call.
  const hosts = new Set<string | undefined>();
  for (let count = 0; count < 50_000; count += 1) hosts.add(parseUrl('https://MÜNCHEN.example')?.host);
  expect([...hosts]).toEqual(['xn--mnchen-3ya.example']);
});

it('returns undefined for a text that is not a URL', () => {
  expect(parseUrl('api.example.com')).toBeUndefined();
});
