import { CreditLimitError, type ErrorDetails } from '../core/errors.js';
import type { CreditHold } from '../core/transport.js';

/** Counts the credits of a client and of those made from it, and reserves them for calls under way. */
export class Credits {
  #used = 0;
  #reserved = 0;

  get used(): number {
    return this.#used;
  }

  /**
   * Reserves a credit for a call. What comes back settles it, once: spent or given back.
   * @throws CreditLimitError calls side by side may not pass the limit either
   */
  reserve(maxCredits: number | undefined, details: ErrorDetails): (spent: boolean) => void {
    this.#take(1, maxCredits, details);
    let open = true;
    return (spent) => {
      if (!open) return;
      open = false;
      this.#reserved -= 1;
      if (spent) this.#used += 1;
    };
  }

  /**
   * Sets credits aside for several calls.
   * @throws CreditLimitError where one of them would not be left
   */
  hold(maxCredits: number | undefined, credits: number, details: ErrorDetails): CreditHold {
    this.#take(credits, maxCredits, details);
    let left = credits;
    const giveBack = (count: number) => {
      this.#reserved -= count;
      left -= count;
    };
    return {
      giveBackOne: () => {
        giveBack(Math.min(1, left));
      },
      end: () => {
        giveBack(left);
      },
    };
  }

  #take(credits: number, maxCredits: number | undefined, details: ErrorDetails): void {
    const taken = this.#used + this.#reserved;
    if (maxCredits !== undefined && taken + credits > maxCredits)
      throw new CreditLimitError(taken, maxCredits, details, credits);
    this.#reserved += credits;
  }
}
