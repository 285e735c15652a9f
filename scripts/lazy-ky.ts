import type { Options } from 'tsup';

/**
 * Puts ky, as published, into a function, which evaluates it at the first call. A separate file would need a moment to
 * load, and the first call would wait for it.
 */
export const lazyKyPlugin: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'lazy-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]http[\\/]ky\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build.esbuild.build({
        entryPoints: [path],
        bundle: true,
        write: false,
        format: 'iife',
        globalName: 'ky',
        target: 'es2022',
        legalComments: 'none',
      });
      const [file = { text: '' }] = outputFiles;
      return {
        contents: `let loaded;
export const loadKy = () => (loaded ??= evaluate());
function evaluate() {
  ${file.text}
  return ky.loadKy();
}`,
        loader: 'js',
      };
    });
  },
};
