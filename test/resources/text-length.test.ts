import { afterEach, expect, it, vi } from 'vitest';
import { textUnits } from '../../src/resources/preflight/text-limits.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

const family = '👨‍👩‍👧‍👦';

it.each([
  ['characters', 'é👍', 2],
  ['graphemes', `e\u0301${family}`, 2],
  ['utf16', '👍', 2],
  ['bytes', 'é👍', 6],
  ['emoji_bytes', 'é👍', 5],
  ['weighted', 'é', 1],
  ['weighted', '日本', 4],
  ['weighted', family, 2],
  ['weighted', 'see https://example.com/a/very/long/path?of=a&link=1 now', 31],
] as const)('counts %s of %j', (unit, text, length) => {
  expect(textUnits[unit].lengthOf(text)).toBe(length);
});

it('counts code points where the runtime has no Segmenter', () => {
  vi.stubGlobal('Intl', {});
  expect(textUnits.graphemes.lengthOf('é👍')).toBe(2);
});
