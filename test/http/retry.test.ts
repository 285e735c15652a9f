import { describe, expect, it } from 'vitest';
import { worseOutcome } from '../../src/core/errors.js';
import { mayRetry, attemptOutcome, RetryBudget, type Failure } from '../../src/http/retry.js';

const status = (code: number): Failure => ({ kind: 'status', status: code });
const lost: Failure = { kind: 'lost' };

describe('mayRetry', () => {
  const classes = ['repeatable', 'paid_per_success', 'paid_per_call', 'once'] as const;
  const allowed = (failure: Failure) => classes.filter((retry) => mayRetry(retry, failure));

  it('sends again whatever never arrived or was refused before the work', () => {
    expect(allowed({ kind: 'not_sent' })).toEqual(classes);
    expect(allowed(status(429))).toEqual(classes);
  });

  it.each([408, 500, 502, 503, 504])(
    'after %d, retries only calls that are safe to repeat or cost only on success',
    (code) => {
      expect(allowed(status(code))).toEqual(['repeatable', 'paid_per_success']);
    },
  );

  it('after silence, retries only calls that are safe to repeat', () => {
    expect(allowed(lost)).toEqual(['repeatable']);
  });

  it('never retries a permanent failure or a 2xx reply', () => {
    for (const code of [300, 400, 401, 404, 409, 422, 499, 501, 505]) expect(allowed(status(code))).toEqual([]);
    for (const kind of ['unsendable', 'unreadable'] as const) {
      for (const retry of classes) expect(mayRetry(retry, { kind })).toBe(false);
    }
  });
});

describe('attemptOutcome', () => {
  it.each([
    ['not_sent', { kind: 'not_sent' }],
    ['not_sent', { kind: 'unsendable' }],
    ['unknown', lost],
    ['unknown', { kind: 'unreadable' }],
  ] as const)('is %s for %j, of a read and of a write', (outcome, failure) => {
    expect([attemptOutcome(failure, false), attemptOutcome(failure, true)]).toEqual([outcome, outcome]);
  });

  it('is unknown for a time-out, a conflict, a proxy whose client is gone, and every error of the server', () => {
    for (const code of [408, 409, 499, 500, 501, 503, 599]) expect(attemptOutcome(status(code), false)).toBe('unknown');
  });

  it('is rejected for every other refusal', () => {
    for (const code of [400, 401, 403, 404, 407, 410, 422, 429, 498]) {
      expect(attemptOutcome(status(code), false)).toBe('rejected');
    }
  });

  it('is unknown for a redirect that may say where the result of a write is', () => {
    const ofWrites = [299, 300, 301, 302, 303, 304, 307, 308].map((code) => attemptOutcome(status(code), false));
    const [rejected, unknown] = ['rejected', 'unknown'];
    expect(ofWrites).toEqual([rejected, unknown, unknown, unknown, unknown, rejected, rejected, rejected]);
    for (const code of [300, 303, 307]) expect(attemptOutcome(status(code), true)).toBe('rejected');
  });
});

it('worseOutcome: a possible execution outweighs a refusal, and both outweigh nothing sent', () => {
  const order = ['not_sent', 'rejected', 'unknown'] as const;
  for (const [low, a] of order.entries()) {
    for (const [high, b] of order.entries()) {
      expect(worseOutcome(a, b)).toBe(order[Math.max(low, high)]);
    }
  }
});

describe('a retry budget', () => {
  const server = status(500);
  /** How many retries it allows in a row. */
  function left(budget: RetryBudget, failure: Failure): number {
    let taken = 0;
    while (taken < 1_000 && budget.take(failure)) taken += 1;
    return taken;
  }

  it('holds a hundred retries after an answer, or fifty after silence', () => {
    expect(left(new RetryBudget(), server)).toBe(100);
    expect(left(new RetryBudget(), { kind: 'not_sent' })).toBe(100);
    expect(left(new RetryBudget(), lost)).toBe(50);
  });

  it('allows an answer that costs half where silence costs too much', () => {
    const budget = new RetryBudget();
    expect(budget.take(server)).toBe(true);
    expect(left(budget, lost)).toBe(49);
    expect(left(budget, server)).toBe(1);
  });

  it('asks nothing for a 429', () => {
    const budget = new RetryBudget();
    for (let i = 0; i < 1_000; i += 1) expect(budget.take(status(429))).toBe(true);
    expect(left(budget, server)).toBe(100);
    expect(budget.take(status(429))).toBe(true);
  });

  it('gets a retry back from a retry that helped, and a fifth of one from a success at once', () => {
    const budget = new RetryBudget();
    left(budget, server);
    budget.refill(2);
    expect(left(budget, server)).toBe(1);
    for (let i = 0; i < 4; i += 1) budget.refill(0);
    expect(left(budget, server)).toBe(0);
    budget.refill(0);
    expect(left(budget, server)).toBe(1);
  });

  it('never holds more than at the start', () => {
    const budget = new RetryBudget();
    for (let i = 0; i < 10; i += 1) budget.refill(1);
    expect(left(budget, server)).toBe(100);
  });
});
