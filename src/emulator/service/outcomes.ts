import * as z from 'zod/mini';
import { isFields, withoutUndefined } from '../../core/json.js';
import { knownPlatforms } from '../../model/known-values.js';
import { id, once, oneOf, text } from '../../schema/fields.js';
import { parsed } from '../../schema/issues.js';
import { milliseconds, type Duration } from './clock.js';
import type { Store } from '../state/store.js';
import type { OutcomeRule, StoredTarget } from '../state/stored-records.js';
import { pointInTime, timestamp, type PointInTime } from '../state/time.js';
import { connectionError } from '../state/tokens.js';

/** The planned outcome of targets when they are published. */
export interface PublishingOutcome {
  /** Only targets on this platform. */
  readonly platform?: string | undefined;
  /** Only targets of this integration. */
  readonly accountId?: string | undefined;
  /** Only targets of this post. It ends when the post is published. */
  readonly postId?: string | undefined;
  /** They fail with this error. */
  readonly error?: string | undefined;
  /** They are published with this warning. Without `error` and `warning` they succeed. */
  readonly warning?: string | undefined;
  /** The number of targets that it applies to. Default: no limit. */
  readonly times?: number | undefined;
  /**
   * It applies to publications before this time of the clock: a date-time with its offset, a `Date` or an instant, or
   * milliseconds since 1970. Default: no end.
   */
  readonly until?: PointInTime | undefined;
}

/** A planned outcome with its ID. */
export interface OutcomeEntry {
  /** The ID of the outcome in this emulator, for `service.publishing.remove(id)`. */
  readonly id: string;
  /** `times` is the number of remaining targets. */
  readonly outcome: PublishingOutcome;
  /** The number of targets that it has applied to. */
  readonly struck: number;
}

/** An outcome in JSON form. The times of a caller have more forms. */
export const outcomeSchema = once(() =>
  z.strictObject({
    platform: z.optional(oneOf(knownPlatforms)),
    accountId: z.optional(id()),
    postId: z.optional(id()),
    error: z.optional(text()),
    warning: z.optional(text()),
    times: z.optional(z.int().check(z.minimum(1))),
    until: z.optional(z.union([z.string(), z.number()])),
  }),
);

export type TargetOutcome = Pick<PublishingOutcome, 'error' | 'warning'>;

/** The control `publishing`. Its functions need no object. */
export class Outcomes {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  readonly outcome = (outcome: PublishingOutcome): void => {
    // A caller without types may pass anything.
    if (!isFields(outcome))
      throw new RangeError("An outcome is an object such as { platform: 'tiktok', error: 'media rejected' }.");
    const { until, ...rest } = outcome;
    const end = until === undefined ? undefined : pointInTime("An outcome's until", until);
    const refuse = (issues: string) => new RangeError(`An outcome's ${issues}.`);
    const { platform, accountId, postId, error, warning, times } = parsed(outcomeSchema(), rest, refuse);
    const rule = { platform, accountId, postId, error, warning, left: times, until: end };
    this.#store.state.outcomes.set(this.#store.id('outcome'), rule);
    this.#store.changed('outcomes');
  };

  readonly outcomes = (): PublishingOutcome[] => this.list().map(({ outcome }) => outcome);

  readonly list = (): OutcomeEntry[] =>
    [...this.#store.state.outcomes.entries()].map(([id, { left: times, until, struck = 0, ...rest }]) => ({
      id,
      struck,
      outcome: withoutUndefined({ ...rest, times, until: until === undefined ? undefined : timestamp(until) }),
    }));

  readonly remove = (id: string): boolean => {
    const existed = this.#store.state.outcomes.delete(id);
    if (existed) this.#store.changed('outcomes');
    return existed;
  };

  readonly duration = (duration: Duration): void => {
    this.#store.state.publishingMs = milliseconds(duration);
  };

  readonly reset = (): void => {
    const { state } = this.#store;
    state.outcomes.clear();
    state.publishingMs = 0;
    this.#store.changed('outcomes');
  };

  /** Removes the outcomes of a published post. */
  forget(postId: string): void {
    const { outcomes } = this.#store.state;
    for (const [id, rule] of [...outcomes.entries()]) if (rule.postId === postId) outcomes.delete(id);
  }

  /** Returns the outcome of a post's target now: from the last matching rule, else from the state of its account. */
  take(postId: string, target: StoredTarget, now: number): TargetOutcome {
    const { outcomes, integrations } = this.#store.state;
    const found = [...outcomes.entries()].findLast(
      ([, rule]) => now < (rule.until ?? Infinity) && fits(rule, postId, target),
    );
    if (found !== undefined) {
      const [id, rule] = found;
      const { left, struck = 0 } = rule;
      if (left === 1) outcomes.delete(id);
      else outcomes.set(id, { ...rule, left: left === undefined ? undefined : left - 1, struck: struck + 1 });
      return rule;
    }
    const error = connectionError(integrations.get(target.accountId));
    return error === undefined ? {} : { error };
  }
}

function fits(rule: OutcomeRule, postId: string, target: StoredTarget): boolean {
  const { platform = target.platform, accountId = target.accountId } = rule;
  return (rule.postId ?? postId) === postId && platform === target.platform && accountId === target.accountId;
}
