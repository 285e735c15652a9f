/** Runs all that must hold before a release, to the end, and says what does not. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const { version, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
};

/** Only these files belong in the package. */
const packed =
  /^(docs\/[a-z]+\.md|dist\/.+\.(js|cjs|d\.ts|d\.cts)|dist\/THIRD_PARTY_LICENSES\.md|openapi\.json|package\.json|README\.md|SECURITY\.md|CHANGELOG\.md|LICENSE)$/;

const command = (line: string) => spawnSync(line, { shell: true, stdio: 'inherit' }).status === 0;

/** A program that not every machine has, and what becomes of a script without it. */
interface Program {
  readonly name: string;
  readonly isThere: () => boolean;
  /** The arguments with which a script leaves out the part that needs the program. Without them all of it is left out. */
  readonly without?: string;
}

const chromium = (without: string): Program => ({
  name: 'chromium (Debian: apt-get install chromium, or set CHROMIUM_PATH)',
  isThere: () => existsSync(process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'),
  without,
});
const redis: Program = {
  name: 'redis-server (Debian: apt-get install redis-server)',
  isThere: () => spawnSync('redis-server', ['--version']).status === 0,
};
const needs: Readonly<Record<string, Program>> = {
  'test:redis': redis,
  'test:stores': redis,
  'test:runtimes': chromium('--without=chromium'),
  'test:verify': chromium('workerd'),
};

/** Every script that tests, documents, shows or measures, but for parts of others. */
const partsOfOthers = ['test:browser', 'bench:peers'];
const alone = Object.keys(scripts).filter(
  (name) => /^(test:|bench|docs$|demo$)/.test(name) && !partsOfOthers.includes(name),
);

const leftOut: string[] = [];

function script(name: string): boolean {
  const program = needs[name];
  if (program === undefined || program.isThere()) return command(`npm run --silent ${name}`);
  leftOut.push(`${program.without === undefined ? name : `a part of ${name}`}: there is no ${program.name}`);
  return program.without === undefined || command(`npm run --silent ${name} -- ${program.without}`);
}

const steps: readonly { readonly name: string; readonly run: () => boolean }[] = [
  { name: 'install, tests, lint, types, build, package, size', run: () => command('.ci/run') },
  {
    name: 'openapi.json is up to date',
    run: () => command('npm run --silent openapi && git diff --exit-code openapi.json'),
  },
  ...alone.map((name) => ({ name: `npm run ${name}`, run: () => script(name) })),
  {
    name: `the changelog tells of ${version}`,
    run: () => readFileSync('CHANGELOG.md', 'utf8').includes(`## [${version}]`),
  },
  { name: 'the tarball holds only what is needed', run: holdsOnlyWhatIsNeeded },
  {
    name: 'nothing is left uncommitted',
    run: () => spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout === '',
  },
];

const failed = steps.filter(({ name, run }) => {
  console.log(`\n=== ${name}`);
  return !run();
});
if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `- ${line}`).join('\n')}`);
console.log(
  failed.length === 0
    ? `\n${version} may be released.`
    : `\nNot yet:\n${failed.map(({ name }) => `- ${name}`).join('\n')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function holdsOnlyWhatIsNeeded(): boolean {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [tarball] = JSON.parse(stdout) as { size: number; unpackedSize: number; files: { path: string }[] }[];
  if (tarball === undefined) return false;
  const unneeded = tarball.files.map(({ path }) => path).filter((path) => !packed.test(path));
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(
    `${String(tarball.files.length)} files, ${kilobytes(tarball.size)} packed, ${kilobytes(tarball.unpackedSize)} unpacked`,
  );
  for (const path of unneeded) console.log(`not needed: ${path}`);
  return unneeded.length === 0;
}
