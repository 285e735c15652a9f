import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

interface Change {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

/**
 * The client gives ky a URL, a `fetch` of its own and three constants (src/http/exchange.ts): no repeats, no time-outs, no
 * errors for a status. What is left of ky is the handing to `fetch` and the naming of network failures. The rest is cut, so
 * that nobody loads it; a private method that is still called somewhere would be a syntax error.
 */
const changes: readonly Change[] = [
  // No hooks, repeats and progress, and no shortcuts such as `.json()`: the reply comes as `fetch` gives it.
  {
    file: 'core/Ky.js',
    from: /const initHooks = .*?\n {8}return result;\n/s,
    to: 'return new Ky(input, options).#fetch();\n',
  },
  {
    file: 'core/Ky.js',
    from: /\n {4}\/\/ eslint-disable-next-line unicorn\/prevent-abbreviations\n {4}static #normalizeSearchParams.*?(?=\n {4}\/\/ eslint-disable-next-line complexity\n {4}constructor\()/s,
    to: '\n    #input;\n    #options;',
  },
  // No `Request` either: the client's `fetch` makes its own of the URL and an init.
  {
    file: 'core/Ky.js',
    from: /if \(Object\.hasOwn\(options, 'prefixUrl'\)\) \{.*?this\.#startTime = [^\n]*/s,
    to: 'this.#options = options;',
  },
  { file: 'core/Ky.js', from: /\n {4}#calculateDelay\(retry\) \{.*?(?=\n {4}async #fetch\(\) \{)/s, to: '' },
  {
    file: 'core/Ky.js',
    from: /\/\/ Reset abortController if it was aborted.*?return this\.#setResponseRequest\(response, request\);/s,
    to: 'try {\n            return await this.#options.fetch(this.#input, {});',
  },
  {
    file: 'core/Ky.js',
    from: /new NetworkError\(this\.request,/,
    to: 'new NetworkError(new globalThis.Request(this.#input),',
  },
  { file: 'core/Ky.js', from: /\n {4}#getRemainingTotalTimeout\(\) \{.*\n {4}\}(?=\n\}\n)/s, to: '' },
  // Nothing to merge: the options are the client's own.
  { file: 'index.js', from: /validateAndMerge\(defaults, options\)/, to: 'options' },
  { file: 'index.js', from: /for \(const method of requestMethods\) \{.*?(?=return ky;)/s, to: '' },
  // Inside one bundled file a bundler can't know that this call may be left out, and kept all of ky beside verifyWebhook.
  { file: 'index.js', from: /const ky = createInstance\(\);/, to: 'const ky = /* @__PURE__ */ createInstance();' },
];

/** Makes the bundled ky as light as its use. */
export const lightKy: Plugin = {
  name: 'light-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/](index|core[\\/]Ky)\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const { file, from, to } of changes) {
        if (!path.replaceAll('\\', '/').endsWith(`distribution/${file}`)) continue;
        if (!from.test(contents))
          throw new Error(`ky has changed, and with it what is mended in ${path}: ${String(from)}`);
        contents = contents.replace(from, () => to);
      }
      return { contents, loader: 'js' };
    });
  },
};
