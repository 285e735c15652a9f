/** One way to do the job that is measured. */
export interface Subject {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** The milliseconds that each subject took for one run, one number a round. */
export type Times = ReadonlyMap<string, readonly number[]>;

/**
 * Runs all subjects in turn, each `times` a round, so that a machine whose speed drifts slows all of them. Who begins
 * changes from round to round: nobody always runs on what another one left to the garbage collector. Many short rounds
 * stand a busy machine better than few long ones: most of them are over before something else wants the processor.
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

/** How many times as long one subject takes as another: the median of what each round found. */
export function ratio(times: Times, subject: string, base: string): number {
  const bases = times.get(base) ?? [];
  return median(times.get(subject)?.map((ms, round) => ms / (bases[round] ?? Number.NaN)));
}
