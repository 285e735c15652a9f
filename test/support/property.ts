/** How often a property test tries: few times in `npm test`, 10,000 times in `npm run test:long`. */
export function runs(few: number): { readonly numRuns: number } {
  const asked = Number(process.env['FAST_CHECK_RUNS'] ?? 0);
  return { numRuns: asked > 0 ? asked : few };
}

/** The time limit of a property test, which grows with the number of its runs. */
export function runsTimeoutMs(msPerRun: number, few: number): number {
  return 20_000 + msPerRun * runs(few).numRuns;
}
