import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, runsTimeoutMs } from '../support/property.js';
import { laws, violations } from './laws/judge.js';
import { run } from './laws/run.js';
import { sequence } from './laws/sequence.js';

/** No law is broken. */
const none = Object.fromEntries(Object.keys(laws).map((law) => [law, []]));

describe('creates, equal and different, faults at every point, aborts, reconciles at once and in turn, and lists', () => {
  it(
    `never break a law: ${Object.values(laws).join('; ')}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (steps) => {
          expect(violations(await run(steps))).toEqual(none);
        }),
        runs(60),
      );
    },
    runsTimeoutMs(1_500, 60),
  );
});
