/** Tests the emulator's console in a real Chromium, like a user. Requires the build: `npm run build`. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { programMissing } from '../../test/support/temporary-servers.js';

const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

if (spawnSync(chromium, ['--version']).status !== 0) {
  console.error(
    `There is no Chromium at ${chromium}. Debian and Ubuntu: apt-get install chromium. Elsewhere: set CHROMIUM_PATH to one.`,
  );
  process.exit(programMissing);
}
if (!existsSync('dist/console-page.cjs')) {
  console.error('The console is not built. Build it first: npm run build');
  process.exit(1);
}

// One browser at a time, because parallel browsers would distort the measurements.
const args = [
  'vitest',
  'run',
  '--project',
  'console',
  '--no-file-parallelism',
  '--outputFile.json=.tmp/test-console.json',
];
const tests = spawn('npx', [...args, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM_PATH: chromium },
});
const [code] = (await once(tests, 'exit')) as [number | null];
process.exitCode = code ?? 1;
