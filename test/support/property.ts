import fc from 'fast-check';

/** A character of Unicode. The unit `binary` of fast-check is the same, and builds a table of all of them in every process. */
export const anyCharacter = fc
  .nat({ max: 0x10_ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

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
