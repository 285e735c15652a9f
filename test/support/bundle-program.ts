import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = new Map<string, string>();

/**
 * Bundles a TypeScript program of this repository, and returns the path of the JavaScript. A process starts it in a
 * fifth of the processor time that tsx takes, and the tests start hundreds. `entry` is a path from the root. The program
 * finds the packages of `place`: the root or `examples/`.
 */
export function bundleProgram(entry: string, place: '' | 'examples/' = ''): string {
  let program = built.get(entry);
  if (program === undefined) {
    program = build(entry, place);
    built.set(entry, program);
  }
  return program;
}

function build(entry: string, place: string): string {
  // Three folders below the root, like the source that loads the console's page from `dist`.
  const outdir = join(root, place, '.tmp/programs', entry.replaceAll(/[^\w.]+/g, '-'));
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: { program: entry },
    ...{ outdir, outExtension: { '.js': '.mjs' }, write: false, logLevel: 'error' },
    ...{ bundle: true, splitting: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
  });
  // Other test processes may run the same program, so no file is ever half written.
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    const unfinished = `${path}.${String(process.pid)}`;
    writeFileSync(unfinished, contents);
    renameSync(unfinished, path);
  }
  return join(outdir, 'program.mjs');
}
