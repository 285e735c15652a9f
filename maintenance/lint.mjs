/**
 * Runs the five linters: oxlint, which uses all cores, beside the others. Exits with 1 if one of them fails.
 * `npm run lint -- --fix` formats all files and lets oxlint fix what it can; other arguments go to oxlint.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, resolve } from 'node:path';

const env = { ...process.env, PATH: `${resolve('maintenance/node_modules/.bin')}${delimiter}${process.env.PATH}` };
const fixes = process.argv.includes('--fix');

/** Prettier checks each file separately, so its results can be cached. The other linters read other files too. */
const prettier = `prettier ${fixes ? '--write' : '--check'} --log-level warn --cache --cache-strategy content --cache-location .tmp/prettier .`;
const depcruise = 'depcruise --output-type err-long src console test scripts examples bench maintenance';

async function run(line) {
  const [command, ...args] = line.split(' ');
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
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
  runAll([prettier, depcruise, 'knip', 'tsx maintenance/type-names.ts']),
]);
