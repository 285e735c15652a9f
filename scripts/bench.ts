/**
 * Bundles bench/ and runs it on Node 24, or on this Node where that can't be had. The package itself stays outside of the
 * bundle: what is measured is dist as it is published.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { build } from 'esbuild';
import { program } from './runtimes/app.js';

if (!existsSync('dist/index.js')) {
  console.error('There is no build to measure: run npm run build first.');
  process.exit(1);
}

const folder = '.tmp/bench';
await build({
  entryPoints: ['bench/index.ts'],
  outfile: `${folder}/index.mjs`,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  tsconfigRaw: '{}',
  logLevel: 'error',
});
for (const server of ['server.mjs', 'inbox-server.mjs', 'publish-server.mjs'])
  copyFileSync(`bench/${server}`, `${folder}/${server}`);

const wanted = '24';
const node = process.versions.node.startsWith(`${wanted}.`)
  ? process.execPath
  : await program(`node@${wanted}`, 'node').catch(() => {
      console.log(`Node ${wanted} can't be had here: measured on ${process.version}.`);
      return process.execPath;
    });
const { status } = spawnSync(node, [`${folder}/index.mjs`, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
