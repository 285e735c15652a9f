import { sharedByCopies } from './copies.js';
import { isPackageError, type Outcome } from './errors.js';

const severity: Readonly<Record<Outcome, number>> = { not_sent: 0, rejected: 1, unknown: 2 };

/** Returns the outcome that leaves more to do. */
export function worseOutcome(a: Outcome, b: Outcome): Outcome {
  return severity[a] >= severity[b] ? a : b;
}

/**
 * Whether a write that was answered with this status may have been executed. A 409 often means that an equal post exists:
 * perhaps an earlier request, whose reply was lost, created it. A proxy answers 499 if its own client is gone.
 */
export function provesNothing(status: number): boolean {
  return status === 408 || status === 409 || status === 499 || status >= 500;
}

/** The outcomes of calls, by the values that they rejected with. An abort rejects with the caller's own object. */
const outcomes = () => sharedByCopies('outcomes', () => new WeakMap<object, Outcome>());

/** Keeps the outcome of a failed call. A value that ended several calls has the worst of their outcomes. */
export function recordOutcome(error: unknown, outcome: Outcome): void {
  if (typeof error !== 'object' || error === null) return;
  outcomes().set(error, worseOutcome(outcome, outcomes().get(error) ?? 'not_sent'));
}

/**
 * Returns the outcome of the operation that a call rejected: `not_sent`, `rejected` or `unknown`. It knows every error of
 * this package, also of another copy of it, and the reason of an aborted signal if the reason is an object. If one reason
 * ended several calls, it returns the worst of their outcomes.
 *
 * @example
 * ```ts
 * try {
 *   await client.posts.create(body, { signal });
 * } catch (error) {
 *   if (outcomeOf(error) !== 'unknown') throw error; // no post was created
 *   const found = await client.posts.reconcile(error, { waitMs: 10_000 });
 * }
 * ```
 * @returns `undefined` for a value that no call rejected with
 */
export function outcomeOf(error: unknown): Outcome | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const recorded = outcomes().get(error);
  if (recorded !== undefined || !isPackageError(error)) return recorded;
  // Another version can have other outcomes.
  return Object.hasOwn(severity, error.outcome) ? error.outcome : 'unknown';
}
