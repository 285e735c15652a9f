/** Measures the import of the built package in Node. Exits with 1 if an import exceeds its limit. */
import { measureImports, type Program } from './import-time/measure.js';

/** Limits in milliseconds over an empty process, on an idle machine. */
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
console.log(
  `Import in Node ${process.version}: time over an empty process, the fastest of ${String(rounds)} processes each`,
);
const times = measureImports(imports, rounds);
for (const [index, { name, limitMs }] of imports.entries()) {
  const time = times[index] ?? Number.NaN;
  const over = time <= limitMs ? '' : '  OVER LIMIT';
  console.log(`  ${name.padEnd(40)} ${time.toFixed(1).padStart(6)} ms, limit ${String(limitMs)} ms${over}`);
  if (over !== '') process.exitCode = 1;
}
