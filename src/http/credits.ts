import { CreditLimitError, type ErrorDetails } from '../core/errors.js';

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
    const taken = this.#used + this.#reserved;
    if (maxCredits !== undefined && taken + 1 > maxCredits) throw new CreditLimitError(taken, maxCredits, details);
    this.#reserved += 1;
    let open = true;
    return (spent) => {
      if (!open) return;
      open = false;
      this.#reserved -= 1;
      if (spent) this.#used += 1;
    };
  }
}
