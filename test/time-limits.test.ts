import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { patienceMs } from './support/patience.js';

/** What makes a test depend on the speed of the machine. A group is a limit in milliseconds. */
const patterns: readonly RegExp[] = [
  // The last argument of a test.
  /^ *\}, (\d[\d_]{3,})\);$/,
  // The options of a test, a group or a poll.
  /\b(?:it|test|describe|poll)\b.*\btimeout: (\d[\d_]*)/,
  // Its limit is a second: use `eventually` or `expect.poll`.
  /\bvi\.wait(?:For|Until)\(/,
  // Count operations, or put the test into `bench`.
  /\bexpect\(.*performance\.now\(\)/,
];

const own = ['test/time-limits.test.ts', 'test/support/eventually.ts'];

it('no test has a time limit below a minute, or compares measured times', () => {
  const files = ['test', 'examples', 'console/test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
    // Tests with a browser or servers are not part of the default run.
    .filter((file) => file.endsWith('.ts') && !/node_modules|\/\.tmp\/|\/servers\/|\.spec\.ts$/.test(file))
    .filter((file) => !own.includes(file));
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        patterns.some((pattern) => isShort(pattern.exec(line))) ? [`${file}:${String(index + 1)}: ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
});

function isShort(match: RegExpExecArray | null): boolean {
  if (match === null) return false;
  const [, limit] = match;
  return limit === undefined || Number(limit.replaceAll('_', '')) < patienceMs;
}
