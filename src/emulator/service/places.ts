/** So many may be under way at the same time. The others wait, and go on in the order in which they came. */
export class Places {
  #free: number;
  #waiting: (() => void)[] = [];
  /** How many of those that waited have gone on: taking them out of a long array one by one would cost its length each time. */
  #gone = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when there is a place. Whoever was given one gives it back with `leave`. */
  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  leave(): void {
    const next = this.#waiting[this.#gone];
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#gone += 1;
    if (this.#gone === this.#waiting.length) {
      this.#waiting = [];
      this.#gone = 0;
    }
    next();
  }
}
