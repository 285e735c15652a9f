/** Measures the import of the built package in Node. Exits with 1 if an import exceeds its limit. */
import { limitFactor, measureImports, type Program } from './measure.js';

/** Limits in milliseconds over an empty process, before `limitFactor`. */
const imports: readonly (Program & { readonly limitMs: number })[] = [
  { name: 'social-publishing (ESM)', code: `import '../../dist/index.js';`, extension: 'mjs', limitMs: 20 },
  { name: 'social-publishing (CommonJS)', code: `require('../../dist/index.cjs');`, extension: 'cjs', limitMs: 20 },
  { name: 'social-publishing/webhooks (ESM)', code: `import '../../dist/webhooks.js';`, extension: 'mjs', limitMs: 10 },
  {
    name: 'social-publishing/webhooks (CommonJS)',
    code: `require('../../dist/webhooks.cjs');`,
    extension: 'cjs',
    limitMs: 10,
  },
];

const rounds = 15;
// A short burst of other work can slow down every process of one measurement.
const measurements = 3;

console.log(
  `Import in Node ${process.version}: time over an empty process, the fastest of ${String(rounds)} processes each`,
);
for (let left = measurements; left > 0 && !allWithinLimits(); left -= 1)
  if (left === 1) process.exitCode = 1;
  else console.log('  Measured again:');

/** Measures and prints. */
function allWithinLimits(): boolean {
  const times = measureImports(imports, rounds);
  const { emptyMs, overMs } = times;
  const factor = limitFactor(times);
  console.log(`  An empty process takes ${emptyMs.toFixed(1)} ms: limits x ${factor.toFixed(2)}`);
  const within = imports.map(({ name, limitMs }, index) => {
    const time = overMs[index] ?? Number.NaN;
    const limit = limitMs * factor;
    const isWithin = time <= limit;
    const over = isWithin ? '' : '  OVER LIMIT';
    console.log(`  ${name.padEnd(40)} ${time.toFixed(1).padStart(6)} ms, limit ${limit.toFixed(1)} ms${over}`);
    return isWithin;
  });
  return within.every(Boolean);
}
