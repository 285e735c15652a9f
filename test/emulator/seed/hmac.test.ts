import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hmacSha256 } from '../../../src/emulator/seed/demo/hmac.js';
import { anyCharacter } from '../../support/property.js';

it('equals the HMAC of Node, for any secret and text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 150 }), fc.string({ maxLength: 300 }), (secret, text) => {
      expect(hmacSha256(secret, text)).toBe(createHmac('sha256', secret).update(text).digest('hex'));
    }),
    { numRuns: 300 },
  );
});
