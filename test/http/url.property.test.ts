import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeQuery } from '../../src/http/request.js';
import { anyCharacter, runs, runsTimeoutMs } from '../support/property.js';

const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\w.*~+ -]*$/));

it('writes a query as URLSearchParams does', { timeout: runsTimeoutMs(5, 500) }, () => {
  const query = fc.array(fc.tuple(text, fc.array(text)));
  fc.assert(
    fc.property(query, (entries) => {
      const fields = Object.fromEntries(entries);
      const pairs = Object.entries(fields).flatMap(([name, values]) => values.map((value) => [name, value]));
      const expected = new URLSearchParams(pairs).toString();
      expect(writeQuery(fields, {}, [])).toBe(expected === '' ? '' : `?${expected}`);
    }),
    runs(500),
  );
});
