/**
 * Bundles bench/ and runs it on Node 24, or on this Node if Node 24 is not available. The package stays outside the
 * bundle, so the benchmark measures the published dist.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { build } from 'esbuild';
import { program } from '../test/runtimes/app.js';

if (!existsSync('dist/index.js')) {
  console.error('The package is not built: run npm run build first.');
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
      console.log(`Node ${wanted} is not available here: measured on ${process.version}.`);
      return process.execPath;
    });
const { status } = spawnSync(node, [`${folder}/index.mjs`, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
