// Installs the packages of this folder if they are missing. The scripts that need them start with it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('maintenance/node_modules')) {
  const { status } = spawnSync('npm ci --prefix maintenance --no-audit --no-fund', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
