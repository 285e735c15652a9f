import type { Options } from 'tsup';

/**
 * Puts ky, as published, into a function, which evaluates it at the first call. A separate file would need a moment to
 * load, and the first call would wait for it.
 */
export const lazyKyPlugin: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'lazy-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]http[\\/]ky\.ts$/ }, async () => {
      const { outputFiles } = await build.esbuild.build({
        stdin: { contents: `export * from 'ky'; export { default } from 'ky';`, resolveDir: '.' },
        bundle: true,
        write: false,
        format: 'iife',
        globalName: 'ky',
        target: 'es2022',
        legalComments: 'none',
      });
      const [ky = { text: '' }] = outputFiles;
      return {
        contents: `let loaded;
export const loadKy = () => (loaded ??= evaluate());
function evaluate() {
  ${ky.text}
  return ky;
}`,
        loader: 'js',
      };
    });
  },
};
