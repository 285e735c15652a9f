import type { Options } from 'tsup';

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
