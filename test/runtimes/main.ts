/**
 * Runs the packed tarball on every supported runtime and writes docs/runtimes.md: each of its two tables if all checks of
 * that table were run. Arguments choose checks, for example `npm run test:runtimes -- node24 bun`, or omit some: `npm run
 * test:runtimes -- --without=chromium`. `border` chooses the second table. Requires `npm run build` first.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createApp, type Check } from './app.js';
import { border, borderHead } from './border.js';
import { engines } from './engines.js';
import { nodes } from './nodes.js';
import { tools } from './tools.js';

const suites: readonly Check[] = [...nodes, ...engines, ...tools];
const checks: readonly Check[] = [...suites, ...border];
const args = process.argv.slice(2).flatMap((arg) => (arg === 'border' ? border.map(({ id }) => id) : [arg]));
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
      const { version, result, failure } = await check.run(app);
      rows.push({ check, version, result });
      if (failure !== undefined) throw new Error(failure);
      console.log(`ok      ${check.id}: ${check.where} ${version}: ${check.what}: ${result}`);
    } catch (error) {
      failed += 1;
      if (rows.at(-1)?.check !== check) rows.push({ check, version: '', result: 'FAILED' });
      console.log(`FAILED  ${check.id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  app.close();
}

const [suitesNow = '', borderNow = ''] = readFileSync('docs/runtimes.md', 'utf8').split(/^(?=## )/m);
const borderRows = rows.filter(({ check }) => border.includes(check));
const suiteRows = rows.filter(({ check }) => suites.includes(check));
const borderTable = [
  `| environment | version | ${borderHead} |`,
  `|${'---|'.repeat(9)}`,
  ...borderRows.map(({ check, version, result }) => `| ${check.where} | ${version} | ${result} |`),
].join('\n');
if (borderRows.length > 0) console.log(borderTable);
const page = [
  suiteRows.length === suites.length ? suitesPage() : suitesNow,
  borderRows.length === border.length ? borderPage() : borderNow,
];
writeFileSync('docs/runtimes.md', `${page.map((part) => part.trim()).join('\n\n')}\n`);

function suitesPage(): string {
  const lines = suiteRows.map(
    ({ check, version, result }) => `| ${check.where} | ${version} | ${check.what} | ${result} |`,
  );
  return `# Tested runtimes

\`npm run test:runtimes\` packs the package, installs the tarball into an empty project, runs it in each environment
below, and writes this page. The contract suite tests every operation, the requests that the client sends, and webhook verification. The smoke suite
creates posts, lists them over pages, causes errors and verifies a webhook. It uses real HTTP on loopback.

| environment | version | test | result |
|---|---|---|---|
${lines.join('\n')}
`;
}

function borderPage(): string {
  const lowest = borderRows.filter(
    ({ check }, at) => borderRows.findIndex((row) => row.check.where === check.where) === at,
  );
  return `## One attempt, one request

Some runtimes send a request again if a reused connection fails before the reply. The server may have executed the first request. So the
client sends a call that must not be repeated (every POST, PUT and paid GET) in a form that the runtime does not repeat.

\`npm run test:runtimes -- border\` tests this with a raw TCP server. The server reads a request and then fails: it closes the connection
(close), resets it (reset), closes one direction (half-close), closes it after 300 ms (delay), breaks off in the head or the body of the
reply (cut-head, cut-body), or answers 401, 421 or 408. It counts the requests of each call at the socket. The client has \`maxRetries: 0\`.
After a 401, the outcome must be \`rejected\`.

A cell contains the number of requests, and the faults after which it differs. If it states no attempts, the client reported one attempt.

${borderTable}

Two repeats are not prevented:

- In a web page, no form of a request prevents a repeat in Chromium. [In a browser](browser.md#writes) states what you can do.
- On Node, a paid GET after a 421 goes out twice, because a GET cannot have a body. A 421 means that the server refused the first request
  (RFC 9110, section 15.5.20).

Lowest tested versions: ${lowest
    .filter(({ check }) => !check.id.endsWith('closing'))
    .map(({ check, version }) => `${check.where} ${version}`)
    .join('; ')}.
`;
}

console.log(`${String(rows.length - failed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 ? 0 : 1;
