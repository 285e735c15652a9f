import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, endOfPrefix } from '../../src/stores/key-order.js';
import { anyCharacter } from '../support/property.js';

const wellFormed = fc.string({ unit: anyCharacter });
const bytesOf = (text: string) => Buffer.from(text);

describe('the order of keys', () => {
  it('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(bytesOf(a), bytesOf(b)));
      }),
    );
  });

  it('differs from the order of UTF-16 from U+E000 on', () => {
    const ordered = [
      '',
      'a',
      'aa',
      'a\u{10000}',
      'b',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{103fe}',
      '\u{103ff}',
      '\u{10400}',
      '\u{10fffe}',
      '\u{10ffff}',
    ];
    ordered.forEach((a, i) => {
      ordered.forEach((b, j) => {
        expect(Math.sign(compareKeys(a, b)), JSON.stringify([a, b])).toBe(Math.sign(i - j));
        expect(Buffer.compare(bytesOf(a), bytesOf(b))).toBe(Math.sign(i - j));
      });
    });
  });
});

describe('the first key after all keys with a prefix', () => {
  it.each([
    ['a', 'b'],
    ['ab', 'ac'],
    ['intent/', 'intent0'],
    ['\0', '\u0001'],
    ['😀', '😁'],
    ['a\ud7ff', 'a\ue000'],
    ['\ud7fe', '\ud7ff'],
    ['\ue000', '\ue001'],
    ['\uffff', '\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['a😀\u{10ffff}\u{10ffff}', 'a😁'],
  ])('of %j is %j', (prefix, end) => {
    expect(endOfPrefix(prefix)).toBe(end);
  });

  it.each(['', '\u{10ffff}', '\u{10ffff}\u{10ffff}'])('of %j does not exist', (prefix) => {
    expect(endOfPrefix(prefix)).toBeUndefined();
  });

  it('separates the keys with the prefix from all later keys', () => {
    const near = fc.constantFrom('', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}');
    const text = fc.oneof(
      fc.array(near, { maxLength: 3 }).map((parts) => parts.join('')),
      wellFormed,
    );
    fc.assert(
      fc.property(text, text, fc.boolean(), (prefix, other, isInside) => {
        const key = isInside ? prefix + other : other;
        const end = endOfPrefix(prefix);
        const inRange = compareKeys(key, prefix) >= 0 && (end === undefined || compareKeys(key, end) < 0);
        expect(inRange).toBe(key.startsWith(prefix));
      }),
    );
  });
});
