/** Measures what importing the built package takes in Node. Ends with 1 where a budget is passed. */
import { measureImports, type Program } from './import-time/measure.js';

/**
 * Budgets are shares of what importing ky and zod takes from their own files. On the machine that they were set on the
 * latter is about 115 ms, and they stand for 30 ms (main) and 15 ms (webhooks).
 */
const baseline: Program = { name: 'ky and zod, unbundled', code: `import 'ky'; import 'zod';`, extension: 'mjs' };
const imports: readonly (Program & { readonly budget: number })[] = [
  { name: 'social-publishing (ESM)', code: `import '../../dist/index.js';`, extension: 'mjs', budget: 30 / 115 },
  {
    name: 'social-publishing (CommonJS)',
    code: `require('../../dist/index.cjs');`,
    extension: 'cjs',
    budget: 30 / 115,
  },
  {
    name: 'social-publishing/webhooks (ESM)',
    code: `import '../../dist/webhooks.js';`,
    extension: 'mjs',
    budget: 15 / 115,
  },
  {
    name: 'social-publishing/webhooks (CommonJS)',
    code: `require('../../dist/webhooks.cjs');`,
    extension: 'cjs',
    budget: 15 / 115,
  },
];

const rounds = 15;
console.log(
  `Import in Node ${process.version}: time over an empty process, the fastest of ${String(rounds)} processes each`,
);
const [whole = 0, ...times] = measureImports([baseline, ...imports], rounds);
console.log(`  ${baseline.name.padEnd(40)} ${whole.toFixed(1).padStart(6)} ms`);
for (const [index, { name, budget }] of imports.entries()) {
  const time = times[index] ?? Number.NaN;
  const share = time / whole;
  const over = share <= budget ? '' : '  OVER BUDGET';
  const took = `${time.toFixed(1).padStart(6)} ms  ${share.toFixed(2)} of it, budget ${budget.toFixed(2)}${over}`;
  console.log(`  ${name.padEnd(40)} ${took}`);
  if (over !== '') process.exitCode = 1;
}
