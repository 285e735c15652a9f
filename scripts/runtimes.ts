/**
 * Runs the packed tarball on every supported runtime and, if all were run, writes docs/runtimes.md. Arguments choose
 * checks, for example `npm run test:runtimes -- node24 bun`, or omit some: `npm run test:runtimes --
 * --without=chromium`. Requires `npm run build` first.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createApp, type Check } from './runtimes/app.js';
import { engines } from './runtimes/engines.js';
import { nodes } from './runtimes/nodes.js';
import { tools } from './runtimes/tools.js';

const checks: readonly Check[] = [...nodes, ...engines, ...tools];
const args = process.argv.slice(2);
const without = args.flatMap((arg) => (arg.startsWith('--without=') ? arg.slice('--without='.length).split(',') : []));
const named = args.filter((arg) => !arg.startsWith('--without='));
const chosen =
  without.length === 0 ? named : checks.map(({ id }) => id).filter((id) => !without.includes(id) && isNamed(id));
const unknown = [...named, ...without].filter((id) => !checks.some((check) => check.id === id));
if (unknown.length > 0 || !existsSync('dist/index.js')) {
  console.error(
    unknown.length > 0
      ? `Unknown: ${unknown.join(', ')}. Known: ${checks.map(({ id }) => id).join(', ')}.`
      : 'The package is not built: run npm run build first.',
  );
  process.exit(1);
}

function isNamed(id: string): boolean {
  return named.length === 0 || named.includes(id);
}

interface Row {
  readonly check: Check;
  readonly version: string;
  readonly result: string;
}

const app = await createApp();
const rows: Row[] = [];
let failed = 0;
try {
  for (const check of checks) {
    if (chosen.length > 0 && !chosen.includes(check.id)) continue;
    try {
      const { version, result } = await check.run(app);
      rows.push({ check, version, result });
      console.log(`ok      ${check.id}: ${check.where} ${version}: ${check.what}: ${result}`);
    } catch (error) {
      failed += 1;
      rows.push({ check, version: '', result: 'FAILED' });
      console.log(`FAILED  ${check.id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  app.close();
}

if (chosen.length === 0) {
  const lines = rows.map(({ check, version, result }) => `| ${check.where} | ${version} | ${check.what} | ${result} |`);
  writeFileSync(
    'docs/runtimes.md',
    `# Tested runtimes

\`npm run test:runtimes\` packs the package, installs the tarball into an empty project, runs it in each environment
below, and writes this page. The contract suite tests every operation, the requests that the client sends, and webhook verification. The smoke suite
creates posts, lists them over pages, causes errors and verifies a webhook. It uses real HTTP on loopback.

| environment | version | test | result |
|---|---|---|---|
${lines.join('\n')}
`,
  );
  console.log('docs/runtimes.md is written.');
}
console.log(`${String(rows.length - failed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 ? 0 : 1;
