import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * For a program in a folder of `dist`: loads the package's entries from the built files. So the package contains each
 * part once, and program and entry share their classes.
 */
export function entriesPlugin(entries: Readonly<Record<string, string>>): Plugin {
  const built = new Map(Object.entries(entries).map(([name, path]) => [resolve(path), `../${name}.js`]));
  return {
    name: 'entries',
    setup: (build) => {
      build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
        const entry = built.get(resolve(resolveDir, path.replace(/\.js$/, '.ts')));
        return entry === undefined ? undefined : { path: entry, external: true };
      });
    },
  };
}
