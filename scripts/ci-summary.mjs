// Prints the closing line of .ci/run from the reports that vitest wrote, and sets the exit code.
// Names each failed test with the first lines of its message: the output of the run itself can be too long to keep.
// A step that failed without a failed test (lint, types, a crash of the runner) counts as one failure.
// Plain JavaScript: it must run where the installation itself has failed.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const SHOWN_LINES = 12;

const failedSteps = existsSync('.tmp/failed-steps') ? readFileSync('.tmp/failed-steps', 'utf8').trim().split('\n') : [];
const leftOut = existsSync('.tmp/left-out') ? readFileSync('.tmp/left-out', 'utf8').trim().split('\n') : [];
const reports = [
  ['test', '.tmp/test.json'],
  ['processes', '.tmp/test-processes.json'],
  ['long', '.tmp/test-long.json'],
  ['growth', '.tmp/test-growth.json'],
  ['examples', '.tmp/test-examples.json'],
  ['maintenance', '.tmp/test-maintenance.json'],
  ['package', '.tmp/test-package.json'],
  ['stores', '.tmp/stores.json'],
  ['stores', '.tmp/stores-Node-24.json'],
];

let passed = 0;
let failed = 0;
const explained = new Set();
const failures = [];
for (const [step, path] of reports) {
  if (!existsSync(path)) continue;
  const report = JSON.parse(readFileSync(path, 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  if (report.numFailedTests > 0) explained.add(step);
  for (const file of report.testResults) {
    const path = relative('.', file.name);
    const failedTests = file.assertionResults.filter((test) => test.status === 'failed');
    for (const test of failedTests)
      failures.push({ title: `${path}: ${test.fullName}`, message: test.failureMessages.join('\n') });
    // A file that did not load has no tests.
    if (file.status === 'failed' && failedTests.length === 0) failures.push({ title: path, message: file.message });
  }
}
failed += failedSteps.filter((step) => !explained.has(step)).length;
// Without any report, the run failed.
if (passed === 0 && failed === 0) failed = 1;

for (const { title, message } of failures) {
  console.log(`failed: ${title}`);
  const lines = stripVTControlCharacters(message).split('\n').slice(0, SHOWN_LINES);
  console.log(lines.map((line) => `  ${line}`).join('\n'));
}
if (leftOut.length > 0) console.log(`left out, since a program is missing: ${leftOut.join(', ')}`);
if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
