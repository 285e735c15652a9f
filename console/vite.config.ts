import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const root = (path: string) => here(`../${path}`);

/**
 * Packs the built page into one CommonJS module, a map from paths to texts. Every runtime and bundler can load a
 * module, and ES modules and CommonJS can share this one.
 */
function packPage(folder: string, file: string): Plugin {
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

/** Builds the emulator's console into one module, which the emulator loads when it serves the page. Needs tsup's output. */
export default defineConfig({
  root: here('src'),
  // Wherever the page is served from, its files lie beside it.
  base: './',
  publicDir: false,
  plugins: [packPage(root('.tmp/console-page'), root('dist/console-page.cjs'))],
  logLevel: 'warn',
  resolve: {
    alias: [
      { find: /^social-publishing\/webhooks$/, replacement: root('dist/webhooks.js') },
      { find: /^social-publishing\/publisher$/, replacement: root('dist/publisher.js') },
      // The page is an example of the built package too.
      { find: /^social-publishing$/, replacement: root('dist/index.js') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: root('.tmp/console-page'),
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    // The page's Content-Security-Policy lets in nothing that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // How long its plugins take is no news to those who build the package.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
