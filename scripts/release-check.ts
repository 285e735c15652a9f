/** Runs all that must hold before a release, to the end, and says what does not. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Only these files belong in the package. */
const packed =
  /^(docs\/[a-z]+\.md|dist\/.+\.(js|cjs|d\.ts|d\.cts)|dist\/THIRD_PARTY_LICENSES\.md|openapi\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;

const command = (line: string) => () => spawnSync(line, { shell: true, stdio: 'inherit' }).status === 0;

const steps: readonly { readonly name: string; readonly run: () => boolean }[] = [
  { name: 'install, tests, lint, types, build, package, size', run: command('.ci/run') },
  { name: 'openapi.json is up to date', run: command('npm run --silent openapi && git diff --exit-code openapi.json') },
  { name: 'a mock made from openapi.json takes every request', run: command('npm run --silent test:prism') },
  { name: 'documentation site', run: command('npm run --silent docs') },
  { name: 'every runtime', run: command('npm run --silent test:runtimes') },
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
