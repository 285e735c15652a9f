import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Options } from 'tsup';
import type { Plugin } from 'vite';

/**
 * Packs the built page into one CommonJS module, a map from paths to texts. Every runtime and bundler can load a
 * module, and ES modules and CommonJS can share this one.
 */
export function packPage(folder: string, file: string): Plugin {
  return {
    name: 'pack-console-page',
    closeBundle() {
      const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
      const texts = Object.fromEntries(
        paths.map((path) => [`/${relative(folder, path).split(sep).join('/')}`, readFileSync(path, 'utf8')]),
      );
      writeFileSync(file, `module.exports = ${JSON.stringify(texts)};\n`);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Lets the built emulator load the packed page from the file next to it. */
export const consolePagePlugin: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'console-page',
  setup(build) {
    build.onLoad({ filter: /[\\/]adapters[\\/]load-page\.ts$/ }, () => ({
      // On a line of its own: what a file loads at once is found by lines that are not indented.
      contents: `export async function loadPage() {\n  const page = await import('./console-page.cjs');\n  return page.default;\n}`,
      loader: 'js',
    }));
  },
};
