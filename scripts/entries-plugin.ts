import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * For a program in a folder of `dist`: what it imports from an entry of the package, it loads from the built entry. So the
 * package has each part once, and a class is the same class in the program and in the entry.
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
