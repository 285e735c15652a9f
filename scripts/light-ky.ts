import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * ky asks the runtime about request streams and forms as soon as it is imported. In Node that loads the whole of fetch,
 * which costs more than all the rest of the package, in programs that may never send a request. The client sends
 * strings alone, for which both answers are the same: no.
 */
const answers = [
  { question: /export const supportsRequestStreams = \(\(\) => \{.*?\n\}\)\(\);/s, answer: 'export const supportsRequestStreams = false;' },
  { question: /export const supportsFormData = .*;/, answer: 'export const supportsFormData = false;' },
];

/** Leaves out of the bundled ky what it would ask at import. */
export const lightKy: Plugin = {
  name: 'light-ky',
  setup(build) {
    build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/]core[\\/]constants\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const { question, answer } of answers) {
        if (!question.test(contents)) throw new Error(`ky's ${answer.split(' ')[2] ?? ''} has changed: look at ${path}`);
        contents = contents.replace(question, answer);
      }
      return { contents, loader: 'js' };
    });
  },
};
