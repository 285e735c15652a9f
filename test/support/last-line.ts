import type { Reporter, TestModule } from 'vitest/node';

/** Prints the last line of a run: how many tests ran, and how long. */
export default class LastLine implements Reporter {
  readonly #startedAt = Date.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const { children } of modules) for (const test of children.allTests()) counts[test.result().state] += 1;
    const { passed, failed, skipped } = counts;
    const seconds = ((Date.now() - this.#startedAt) / 1_000).toFixed(1);
    const line = `${String(passed)} tests passed, ${String(failed)} failed, ${String(skipped)} skipped after ${seconds} s`;
    // The other reporters end at the same time. This line follows theirs.
    process.once('exit', () => {
      console.log(line);
    });
  }
}
