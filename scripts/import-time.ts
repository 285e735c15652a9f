/**
 * Measures what the built package costs: its size in a browser bundle, and the time that importing it takes in Node.
 * Ends with 1 where a budget is passed. Needs `npm run build` first.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

if (!existsSync('dist/index.js')) {
  console.error('There is no build to measure: run npm run build first.');
  process.exit(1);
}

/** What a caller's browser bundle may weigh, minified and gzipped, in kB of 1,000 bytes. */
const bundles = [
  { name: 'SocialPublishing', code: `export { SocialPublishing } from './dist/index.js';`, budget: 37, goal: 20 },
  { name: 'verifyWebhook', code: `export { verifyWebhook } from './dist/webhooks.js';`, budget: 8 },
  { name: 'verifyWebhook, from the main entry', code: `export { verifyWebhook } from './dist/index.js';`, budget: 8 },
  { name: 'createWebhookReceiver', code: `export { createWebhookReceiver } from './dist/webhooks.js';`, budget: 10 },
  { name: 'PostSchema, zod included', code: `export { PostSchema } from './dist/schemas.js';`, budget: 8 },
];

/**
 * Time over an empty process, as a share of what importing ky and zod takes from their own files. On the machine that the
 * budgets were set on the latter is about 115 ms, and they stand for 30 ms (main) and 15 ms (webhooks).
 */
const baseline = { name: 'ky and zod, unbundled', code: `import 'ky'; import 'zod';`, extension: 'mjs' };
const empty = { name: 'empty', code: '', extension: 'mjs' };
const imports = [
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
let over = 0;
const verdict = (passed: boolean) => {
  if (!passed) over += 1;
  return passed ? '' : '  OVER BUDGET';
};

console.log('Browser bundle, minified and gzipped');
for (const { name, code, budget, goal } of bundles) {
  const result = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: '{}',
    write: false,
    logLevel: 'error',
  });
  const size = gzipSync(result.outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000;
  const aim = goal === undefined ? '' : `, goal ${String(goal)} kB`;
  console.log(
    `  ${name.padEnd(40)} ${size.toFixed(1).padStart(6)} kB  budget ${String(budget)} kB${aim}${verdict(size <= budget)}`,
  );
}

console.log(
  `Import in Node ${process.version}: time over an empty process, the fastest of ${String(rounds)} fresh processes each`,
);
// Inside the project, so that the baseline finds ky and zod.
mkdirSync('.tmp', { recursive: true });
const folder = mkdtempSync('.tmp/size-');
try {
  const subjects = [empty, baseline, ...imports].map((subject, index) => {
    const path = join(folder, `${String(index)}.${subject.extension}`);
    writeFileSync(path, subject.code);
    return { ...subject, path, times: [] as number[] };
  });
  // Taken in turns, and the fastest counted: whatever else the machine does can only slow a process down.
  for (let round = 0; round < rounds; round += 1) {
    for (const { path, times } of subjects) {
      const start = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      times.push(performance.now() - start);
    }
  }
  const [none, whole, ...rest] = subjects.map(({ times }) => Math.min(...times));
  const cost = (time = 0) => time - (none ?? 0);
  console.log(`  ${baseline.name.padEnd(40)} ${cost(whole).toFixed(1).padStart(6)} ms`);
  for (const [index, { name, budget }] of imports.entries()) {
    const share = cost(rest[index]) / cost(whole);
    const figures = `${cost(rest[index]).toFixed(1).padStart(6)} ms  ${share.toFixed(2)} of it, budget ${budget.toFixed(2)}`;
    console.log(`  ${name.padEnd(40)} ${figures}${verdict(share <= budget)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = over === 0 ? 0 : 1;
