import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { packPage } from './scripts/console-page.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Builds the emulator's console into one module, which the emulator loads when it serves the page. Needs tsup's output. */
export default defineConfig({
  root: here('src/console'),
  // Wherever the page is served from, its files lie beside it.
  base: './',
  publicDir: false,
  plugins: [packPage(here('.tmp/console-page'), here('dist/console-page.cjs'))],
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
    outDir: here('.tmp/console-page'),
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
