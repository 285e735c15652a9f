/** One way to do the measured job. */
export interface Subject {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** The milliseconds of each subject for one run, one number per round. */
export type Times = ReadonlyMap<string, readonly number[]>;

/**
 * Runs all subjects in turn, each `times` per round, so a change of the machine's speed affects all. The first subject
 * changes from round to round, because each one can leave garbage for the next. Many short rounds work better on a busy
 * machine than few long ones: most end before another process needs the processor.
 */
export async function interleave(
  subjects: readonly Subject[],
  { times, rounds = 101, warmUp = 10 }: { times: number; rounds?: number; warmUp?: number },
): Promise<Times> {
  const taken = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  for (let round = -warmUp; round < rounds; round += 1) {
    const first = (round + warmUp) % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const ms = await milliseconds(async () => {
        for (let count = 0; count < times; count += 1) await subject.run();
      });
      if (round >= 0) taken.get(subject.name)?.push(ms / times);
    }
  }
  return taken;
}

export async function milliseconds(task: () => unknown): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

export function median(values: readonly number[] = []): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The time of one subject as a multiple of another's, over the rounds. Half of the rounds are between `low` and `high`. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function ratio(times: Times, subject: string, base: string): Ratio {
  const bases = times.get(base) ?? [];
  const sorted = (times.get(subject) ?? []).map((ms, round) => ms / (bases[round] ?? Number.NaN)).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { median: median(sorted), low: at(0.25), high: at(0.75) };
}
