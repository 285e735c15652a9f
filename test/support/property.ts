/** How many times as often as in `npm test` a property test tries: 20 times with PROPERTY_FACTOR=20. */
const factor = Number(process.env['PROPERTY_FACTOR'] ?? 1);

/** How often a property test tries. */
export function runs(few: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(few * factor)) };
}

/** The time limit of a property test, which grows with the number of its runs: ten times what an idle machine needs. */
export function runsTimeoutMs(msPerRun: number, few: number): number {
  return 120_000 + 10 * msPerRun * runs(few).numRuns;
}
