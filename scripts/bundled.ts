/** Packages whose code goes into dist: see docs/decisions/0001-bundling-and-size.md. */
export const bundled = ['ky', 'zod'];

/** Packages whose code goes into dist/console-page.cjs, see console/vite.config.ts. */
export const bundledInConsole = ['preact', '@preact/signals', '@preact/signals-core'];

/** Packages whose code goes into dist/command, in addition to zod. */
export const bundledInCommand = [
  'commander',
  'csv-parse',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/core',
];
