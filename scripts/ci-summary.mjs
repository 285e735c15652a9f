// Prints the closing line of .ci/run from the reports that vitest wrote, and sets the exit code.
// A step that failed without a failed test (lint, types, a crash of the runner) counts as one failure.
// Plain JavaScript: it must run where the installation itself has failed.
import { existsSync, readFileSync } from 'node:fs';

const failedSteps = existsSync('.tmp/failed-steps') ? readFileSync('.tmp/failed-steps', 'utf8').trim().split('\n') : [];
const leftOut = existsSync('.tmp/left-out') ? readFileSync('.tmp/left-out', 'utf8').trim().split('\n') : [];
const reports = [
  ['test', '.tmp/test.json'],
  ['processes', '.tmp/test-processes.json'],
  ['package', '.tmp/test-package.json'],
  ['stores', '.tmp/stores.json'],
  ['stores', '.tmp/stores-Node-24.json'],
];

let passed = 0;
let failed = 0;
const explained = new Set();
for (const [step, path] of reports) {
  if (!existsSync(path)) continue;
  const report = JSON.parse(readFileSync(path, 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  if (report.numFailedTests > 0) explained.add(step);
}
failed += failedSteps.filter((step) => !explained.has(step)).length;
// Without any report, the run failed.
if (passed === 0 && failed === 0) failed = 1;

if (leftOut.length > 0) console.log(`left out, since a program is missing: ${leftOut.join(', ')}`);
if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
