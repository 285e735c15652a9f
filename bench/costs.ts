import { execFileSync } from 'node:child_process';
import { measureImports } from '../scripts/import-time/measure.js';
import { atMost, ms, type Row } from './table.js';

/** What the package weighs and what loading it takes, before anything is called. */
export function costRows(): Row[] {
  const [time = Number.NaN, whole = Number.NaN] = measureImports(
    [
      { name: 'social-publishing', code: `import '../../dist/index.js';`, extension: 'mjs' },
      { name: 'ky and zod', code: `import 'ky'; import 'zod';`, extension: 'mjs' },
    ],
    25,
  );
  const { size, limit } = clientSize();
  return [
    atMost('whole client in a browser bundle, gzip', size / 1000, 33, 'kB', `the budget of today is ${limit}`),
    atMost(
      'import, over an empty process',
      time,
      13,
      'ms',
      `fastest of 25 fresh processes each; ky and zod from their own files ${ms(whole)}`,
    ),
  ];
}

/** The first bundle of .size-limit.mjs. size-limit ends with 1 where a budget is passed, and prints its figures all the same. */
function clientSize(): { size: number; limit: string } {
  let printed: string;
  try {
    printed = execFileSync('npx', ['size-limit', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    // What execFileSync throws carries what the program printed.
    printed = (error as { stdout: string }).stdout;
  }
  const [client] = JSON.parse(printed) as { size: number; sizeLimit?: number }[];
  if (client === undefined) throw new Error('size-limit weighed nothing.');
  const limit = client.sizeLimit === undefined ? 'not told' : `${(client.sizeLimit / 1000).toFixed(0)} kB`;
  return { size: client.size, limit };
}
