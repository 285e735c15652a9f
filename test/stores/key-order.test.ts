import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareKeys } from '../../src/stores/key-order.js';

const wellFormed = fc.string({ unit: 'binary' });

it('orders keys by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

it('puts U+FFFF before U+10000, other than the order of UTF-16', () => {
  expect(compareKeys('\uffff', '\u{10000}')).toBeLessThan(0);
  expect(['\u{10000}', '\ue000', 'a', ''].sort(compareKeys)).toEqual(['', 'a', '\ue000', '\u{10000}']);
});
