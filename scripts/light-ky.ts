import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

interface Change {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

const changes: readonly Change[] = [
  // ky asks the runtime about request streams and forms as soon as it is imported. In Node that loads the whole of fetch,
  // which costs more than all the rest of the package, in programs that may never send a request. The client sends
  // strings alone, for which both answers are the same: no.
  {
    file: 'core/constants.js',
    from: /export const supportsRequestStreams = \(\(\) => \{.*?\n\}\)\(\);/s,
    to: 'export const supportsRequestStreams = false;',
  },
  {
    file: 'core/constants.js',
    from: /export const supportsFormData = .*;/,
    to: 'export const supportsFormData = false;',
  },
  // Every request of ky gets an AbortController of its own, for time-outs that the client does not use: its own signal goes to
  // `fetch` directly. Node's Request follows a signal through a weak reference and a finalizer, which costs on each call.
  {
    file: 'core/constants.js',
    from: /export const supportsAbortController = .*;/,
    to: 'export const supportsAbortController = false;',
  },
  // Nobody reads a reply's progress through ky.
  {
    file: 'core/constants.js',
    from: /export const supportsResponseStreams = .*;/,
    to: 'export const supportsResponseStreams = false;',
  },
  // Inside one bundled file a bundler can't know that this call may be left out, and kept all of ky beside verifyWebhook.
  { file: 'index.js', from: /const ky = createInstance\(\);/, to: 'const ky = /* @__PURE__ */ createInstance();' },
];

/** Makes the bundled ky cost nothing where it isn't used. */
export const lightKy: Plugin = {
  name: 'light-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/](index|core[\\/]constants)\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const { file, from, to } of changes) {
        if (!path.replaceAll('\\', '/').endsWith(`distribution/${file}`)) continue;
        if (!from.test(contents)) throw new Error(`ky has changed, and with it what is mended in ${path}: ${to}`);
        contents = contents.replace(from, to);
      }
      return { contents, loader: 'js' };
    });
  },
};
