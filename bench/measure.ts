/** Medians of two ways to do the same, taken in turn, so that a machine whose speed drifts slows both. */
export interface Comparison {
  readonly baseMs: number;
  readonly oursMs: number;
  /** How many times as long ours takes. */
  readonly ratio: number;
}

const rounds = 15;
const warmUpRounds = 3;

/** Runs `base` and `ours` in turn, each `times` a round, and compares the medians of one run. */
export async function compare(
  times: number,
  base: () => Promise<unknown>,
  ours: () => Promise<unknown>,
): Promise<Comparison> {
  const taken: { base: number[]; ours: number[] } = { base: [], ours: [] };
  for (let round = 0; round < rounds + warmUpRounds; round += 1) {
    const baseMs = await time(times, base);
    const oursMs = await time(times, ours);
    if (round < warmUpRounds) continue;
    taken.base.push(baseMs);
    taken.ours.push(oursMs);
  }
  const baseMs = median(taken.base);
  const oursMs = median(taken.ours);
  return { baseMs, oursMs, ratio: oursMs / baseMs };
}

async function time(times: number, run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < times; count += 1) await run();
  return (performance.now() - start) / times;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One line of a result. */
export function report(what: string, base: string, { baseMs, oursMs, ratio }: Comparison): void {
  const ms = (value: number) => `${value.toFixed(3)} ms`;
  console.log(`${what.padEnd(44)} ${ms(oursMs).padStart(10)}   ${base}: ${ms(baseMs)}   ratio ${ratio.toFixed(2)}`);
}
