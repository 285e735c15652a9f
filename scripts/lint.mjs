/**
 * Runs the five linters: oxlint, which uses all cores, beside the others. Exits with 1 if one of them fails. Arguments
 * go to oxlint: `npm run lint -- --fix`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Prettier checks each file separately, so its results can be cached. The other linters read other files too. */
const prettier = 'prettier --check --log-level warn --cache --cache-strategy content --cache-location .tmp/prettier .';
const depcruise = 'depcruise --output-type err-long src console test scripts examples bench';

async function run(line) {
  const [command, ...args] = line.split(' ');
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(Buffer.concat(output));
  console.log(`${command}: ${code === 0 ? 'passed' : `failed with ${String(code)}`} after ${seconds} s`);
  if (code !== 0) process.exitCode = 1;
}

async function runAll(lines) {
  for (const line of lines) await run(line);
}

await Promise.all([
  run(['oxlint', ...process.argv.slice(2)].join(' ')),
  runAll([prettier, depcruise, 'knip', 'tsx scripts/type-names.ts']),
]);
