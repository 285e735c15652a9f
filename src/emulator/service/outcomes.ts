import type { Store } from './store.js';
import type { OutcomeRule, StoredTarget } from './stored.js';

/** What is to become of targets when they are published. */
export interface PublishingOutcome {
  /** Only targets on this platform. */
  readonly platform?: string | undefined;
  /** Only targets of this integration. */
  readonly accountId?: string | undefined;
  /** They fail with this error. */
  readonly error?: string | undefined;
  /** They are published with this warning. Without `error` and `warning` they succeed. */
  readonly warning?: string | undefined;
  /** How many targets it is for. Default: no end. */
  readonly times?: number | undefined;
}

/** What was said about publications to come. */
export class Outcomes {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add({ platform, accountId, error, warning, times = Infinity }: PublishingOutcome): void {
    const rule = { platform, accountId, error, warning, left: times, until: Infinity };
    this.#store.state.outcomes.set(this.#store.id('outcome'), rule);
  }

  clear(): void {
    const { outcomes } = this.#store.state;
    for (const id of [...outcomes.ids()]) outcomes.delete(id);
  }

  /** What becomes of a target now: the last rule that fits it, else what the state of its account brings about. */
  take(target: StoredTarget): { readonly error?: string | undefined; readonly warning?: string | undefined } {
    const { outcomes, integrations } = this.#store.state;
    const found = outcomes.size === 0 ? undefined : [...outcomes.entries()].findLast(([, rule]) => fits(rule, target));
    if (found !== undefined) {
      const [id, rule] = found;
      if (rule.left === 1) outcomes.delete(id);
      else if (rule.left !== Infinity) outcomes.set(id, { ...rule, left: rule.left - 1 });
      return rule;
    }
    const { authStatus = 'active', authFailureReason } = integrations.get(target.accountId) ?? {};
    if (authStatus === 'active') return {};
    return { error: `The account must be connected again (${authFailureReason ?? authStatus}).` };
  }
}

function fits({ platform, accountId }: OutcomeRule, target: StoredTarget): boolean {
  return (platform ?? target.platform) === target.platform && (accountId ?? target.accountId) === target.accountId;
}
