import { CreditLimitError, type ErrorDetails } from '../core/errors.js';
import type { CreditHold } from '../core/transport.js';

interface CreditLimit {
  readonly name: 'maxCredits' | 'the budget';
  readonly credits: number;
}

/** The parent of a budget, with the limit that it had. */
interface Parent {
  readonly credits: Credits;
  readonly maxCredits: number | undefined;
}

/** Counts and reserves the credits of a client and its derived clients. */
export class Credits {
  readonly #budget: number | undefined;
  readonly #parent: Parent | undefined;
  #used = 0;
  #reserved = 0;

  /** @param budget the limit of these credits; `parent` counts them too, and its limits also apply */
  constructor(budget?: number, parent?: Parent) {
    this.#budget = budget;
    this.#parent = parent;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Reserves a credit for a call. The returned function settles it once: spent or released.
   * @throws CreditLimitError concurrent calls must not pass a limit either
   */
  reserve(maxCredits: number | undefined, details: ErrorDetails): (spent: boolean) => void {
    this.#take(1, maxCredits, details);
    let open = true;
    return (spent) => {
      if (!open) return;
      open = false;
      this.#add({ reserved: -1, used: spent ? 1 : 0 });
    };
  }

  /**
   * Reserves credits for several calls.
   * @throws CreditLimitError the limits do not allow all of them
   */
  hold(maxCredits: number | undefined, credits: number, details: ErrorDetails): CreditHold {
    this.#take(credits, maxCredits, details);
    let left = credits;
    const release = (count: number) => {
      this.#add({ reserved: -count, used: 0 });
      left -= count;
    };
    return {
      giveBackOne: () => {
        release(Math.min(1, left));
      },
      end: () => {
        release(left);
      },
    };
  }

  #take(credits: number, maxCredits: number | undefined, details: ErrorDetails): void {
    this.#check(credits, maxCredits, details);
    this.#add({ reserved: credits, used: 0 });
  }

  #check(credits: number, maxCredits: number | undefined, details: ErrorDetails): void {
    const taken = this.#used + this.#reserved;
    const limits: readonly CreditLimit[] = [
      ...(this.#budget === undefined ? [] : [{ name: 'the budget', credits: this.#budget } as const]),
      ...(maxCredits === undefined ? [] : [{ name: 'maxCredits', credits: maxCredits } as const]),
    ];
    for (const limit of limits) {
      if (taken + credits > limit.credits)
        throw new CreditLimitError(taken, limit.credits, details, { credits, limit: limit.name });
    }
    if (this.#parent !== undefined) this.#parent.credits.#check(credits, this.#parent.maxCredits, details);
  }

  #add(change: { readonly reserved: number; readonly used: number }): void {
    this.#reserved += change.reserved;
    this.#used += change.used;
    if (this.#parent !== undefined) this.#parent.credits.#add(change);
  }
}
