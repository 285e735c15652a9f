/** Admits a limited number of holders at the same time. The others wait in order. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  /** The number of entries in `#waiting` that have been let in: `shift()` on a long array costs its length each time. */
  #gone = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when there is room. Call `release` afterwards. */
  acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  release(): void {
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
