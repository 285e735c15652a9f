import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The emulator's console: a page of its own, packed in dist/console and in no entry's bundle. Needs tsup's output. */
export default defineConfig({
  root: here('src/console'),
  // Wherever the page is served from, its files lie beside it.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  resolve: {
    alias: [
      { find: /^social-publishing\/webhooks$/, replacement: here('dist/webhooks.js') },
      { find: /^social-publishing\/publisher$/, replacement: here('dist/publisher.js') },
      // The page is an example of the built package too.
      { find: /^social-publishing$/, replacement: here('dist/index.js') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('dist/console'),
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
