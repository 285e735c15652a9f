import { execFileSync } from 'node:child_process';
import { limitFactor, measureImports } from './import-time/measure.js';
import { atMost, ms, type Row } from './table.js';

/** Measures bundle sizes and the import. */
export function costRows(): Row[] {
  const times = measureImports(
    [
      { name: 'social-publishing', code: `import '../../dist/index.js';`, extension: 'mjs' },
      { name: 'ky and zod', code: `import 'ky'; import 'zod';`, extension: 'mjs' },
    ],
    25,
  );
  const [time = Number.NaN, whole = Number.NaN] = times.overMs;
  const sizes = bundleSizes();
  return [
    atMost(
      'whole client in a browser bundle, gzip, ky included',
      kilobytesOf(sizes, 'SocialPublishing'),
      52,
      'kB',
      'the first bundle of `maintenance/.size-limit.mjs`',
    ),
    atMost(
      '`verifyWebhook` from the main entry, gzip',
      kilobytesOf(sizes, 'verifyWebhook, from the main entry'),
      8,
      'kB',
      'without ky and zod',
    ),
    atMost(
      'import, over an empty process',
      time,
      20 * limitFactor(times),
      'ms',
      `fastest of 25 fresh processes each; ky and zod from their own files ${ms(whole)}; an empty process ${ms(times.emptyMs)}, and the limit of 20 ms is for one of 45 ms`,
    ),
  ];
}

interface BundleSize {
  readonly name: string;
  readonly size: number;
}

/** size-limit exits with 1 if a bundle exceeds its limit, but still prints the sizes. */
function bundleSizes(): readonly BundleSize[] {
  let printed: string;
  try {
    printed = execFileSync('npm', ['run', '--silent', 'size', '--prefix', 'maintenance', '--', '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    // The error of execFileSync contains the program's output.
    printed = (error as { stdout: string }).stdout;
  }
  return JSON.parse(printed) as readonly BundleSize[];
}

function kilobytesOf(sizes: readonly BundleSize[], name: string): number {
  const found = sizes.find((bundle) => bundle.name === name);
  if (found === undefined) throw new Error(`.size-limit.mjs has no bundle '${name}'.`);
  return found.size / 1_000;
}
