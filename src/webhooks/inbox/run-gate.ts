import { within } from '../../core/flow/abort.js';

/** Lets work run beside other work, or exclusively. */
export class RunGate {
  readonly #beside = new Set<Promise<unknown>>();
  /** Ends when no work runs exclusively, or waits to. */
  #alone: Promise<unknown> = Promise.resolve();

  /** Runs work beside other work, after all work that asked to run exclusively. */
  async runBeside(work: () => Promise<void>): Promise<void> {
    let seen: Promise<unknown> | undefined;
    while (seen !== this.#alone) await (seen = this.#alone);
    const running = work();
    this.#beside.add(running);
    try {
      await running;
    } finally {
      this.#beside.delete(running);
    }
  }

  /**
   * Runs work while no other work runs.
   * @param patienceMs how long it waits for other work, and other work for it. Work that takes longer does not stop all
   *   other work
   */
  async runAlone(work: () => Promise<void>, patienceMs: number): Promise<void> {
    const before = this.#alone;
    const running = (async () => {
      await before;
      await endOf(Promise.allSettled(this.#beside), patienceMs);
      await work();
    })();
    this.#alone = endOf(Promise.allSettled([running]), 2 * patienceMs);
    await running;
  }
}

/** Resolves when the work has ended, or after a time. */
function endOf(work: Promise<unknown>, ms: number): Promise<unknown> {
  return within(ms, work, () => new Error('It takes too long.')).catch(() => undefined);
}
