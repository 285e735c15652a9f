/** Packages whose code goes into dist: see docs/decisions/0001-bundled-packages.md. */
export const bundled = ['ky', 'zod'];

/** And those whose code goes into dist/console-page.cjs, see vite.console.config.ts. */
export const bundledInConsole = ['preact', '@preact/signals', '@preact/signals-core'];

/** And those whose code goes into dist/command, beside zod. */
export const bundledInCommand = ['commander', 'csv-parse'];
