/**
 * Runs all checks for a release to the end, and reports failures. `--rest` runs only the steps that have not passed yet on
 * this commit: all of them take about two hours.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { overLimits } from '../../bench/table.js';
import { packed, parts } from './packed.js';
import { programMissing } from '../../test/support/temporary-servers.js';

const { version, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
};

const { rest } = parseArgs({ options: { rest: { type: 'boolean', default: false } } }).values;

const exitCode = (line: string) => spawnSync(line, { shell: true, stdio: 'inherit' }).status;
const command = (line: string) => exitCode(line) === 0;

/** Scripts with a part that needs Chromium, and the arguments that omit that part. */
const withoutChromium: Readonly<Record<string, string>> = { 'test:runtimes': '--without=chromium' };
const hasChromium = existsSync(process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium');

/** Scripts that other scripts include. All other scripts that test, document, show or measure are run. */
const partsOfOthers = ['test:processes'];
const alone = Object.keys(scripts).filter(
  (name) => /^(test:|bench$|demo$)/.test(name) && !partsOfOthers.includes(name),
);

/** Checks of this folder. `size` is a part of `.ci/run`. */
const ofMaintenance = Object.keys(
  (JSON.parse(readFileSync('maintenance/package.json', 'utf8')) as { scripts: Record<string, string> }).scripts,
).filter((name) => name.startsWith('check:'));

const leftOut: string[] = [];
/** Findings that do not block a release, but must be reported. */
const told: string[] = [];

function script(name: string): boolean {
  const without = hasChromium ? undefined : withoutChromium[name];
  if (without !== undefined) {
    leftOut.push(`a part of ${name}: Chromium is missing (Debian: apt-get install chromium, or set CHROMIUM_PATH)`);
  }
  // The committed page states when its figures were measured, so this run does not write it.
  const args = name === 'bench' ? '--print' : without;
  const status = exitCode(`npm run --silent ${name}${args === undefined ? '' : ` -- ${args}`}`);
  if (name === 'bench' && status === overLimits) {
    told.push(`${name}: figures over their limits, which the table above and docs/performance.md name`);
    return true;
  }
  if (status === programMissing) leftOut.push(`${name}: a program is missing, which it names above`);
  return status === 0 || status === programMissing;
}

const steps: readonly { readonly name: string; readonly run: () => boolean }[] = [
  { name: 'install, tests, lint, types, build, package, size', run: () => command('.ci/run') },
  {
    name: 'generated documents are up to date',
    run: () => command('npm run --silent documents && git diff --exit-code'),
  },
  {
    name: 'half an hour of simulated histories that no run has seen, on two cores',
    run: () => {
      const seed = Math.floor(Date.now() / 1_000) * 1_000;
      const simulate = (from: number) => `npm run --silent simulate -- --minutes 30 --seed ${String(from)}`;
      return command(`${simulate(seed)} & one=$!; ${simulate(seed + 500_000)}; other=$?; wait $one && exit $other`);
    },
  },
  ...alone.map((name) => ({ name: `npm run ${name}`, run: () => script(name) })),
  ...ofMaintenance.map((name) => ({
    name: `npm run ${name} --prefix maintenance`,
    run: () => command(`npm run --silent ${name} --prefix maintenance`),
  })),
  {
    name: `the changelog describes ${version}`,
    run: () => readFileSync('CHANGELOG.md', 'utf8').includes(`## [${version}]`),
  },
  { name: 'the tarball contains only the allowed files', run: holdsOnlyWhatIsNeeded },
  {
    name: 'nothing is left uncommitted',
    run: () => spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout === '',
  },
];

const commit = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
/** The steps that have passed on a commit. */
const passedFile = '.tmp/release-check.json';
const passed = new Set(rest ? readPassed() : []);

const failed = steps.filter(({ name, run }) => {
  if (passed.has(name)) {
    console.log(`\n=== ${name}: passed before, on this commit`);
    return false;
  }
  console.log(`\n=== ${name}`);
  const start = performance.now();
  const isRight = run();
  console.log(`--- ${isRight ? 'passed' : 'failed'} after ${((performance.now() - start) / 60_000).toFixed(1)} min`);
  if (isRight) passed.add(name);
  mkdirSync('.tmp', { recursive: true });
  writeFileSync(passedFile, JSON.stringify({ commit, passed: [...passed] }));
  return !isRight;
});
if (told.length > 0) console.log(`\nTo be told:\n${told.map((line) => `- ${line}`).join('\n')}`);
if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `- ${line}`).join('\n')}`);
console.log(
  failed.length === 0
    ? `\n${version} may be released.`
    : `\nNot yet:\n${failed.map(({ name }) => `- ${name}`).join('\n')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function readPassed(): readonly string[] {
  if (!existsSync(passedFile)) return [];
  const last = JSON.parse(readFileSync(passedFile, 'utf8')) as { commit: string; passed: readonly string[] };
  const changed = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout !== '';
  return last.commit === commit && !changed ? last.passed : [];
}

function holdsOnlyWhatIsNeeded(): boolean {
  // First runs the scripts of `npm pack`, so their output does not mix with its JSON.
  if (!command('npm run --silent prepack')) return false;
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [tarball] = JSON.parse(stdout) as { size: number; unpackedSize: number; files: { path: string }[] }[];
  if (tarball === undefined) return false;
  const unneeded = tarball.files
    .map(({ path }) => path)
    .filter((path) => !packed.some((pattern) => pattern.test(path)));
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(
    `${String(tarball.files.length)} files, ${kilobytes(tarball.size)} packed, ${kilobytes(tarball.unpackedSize)} unpacked`,
  );
  console.log('| part | files | unpacked | each file gzipped |\n| --- | --- | --- | --- |');
  const partOf = (path: string) => parts.find(([, pattern]) => pattern.test(path))?.[0];
  for (const [name] of parts) {
    const files = tarball.files.filter(({ path }) => partOf(path) === name).map(({ path }) => readFileSync(path));
    const unpacked = files.reduce((sum, file) => sum + file.length, 0);
    const zipped = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    console.log(`| ${name} | ${String(files.length)} | ${kilobytes(unpacked)} | ${kilobytes(zipped)} |`);
  }
  for (const path of unneeded) console.log(`not needed: ${path}`);
  return unneeded.length === 0;
}
