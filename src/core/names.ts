import { ConfigurationError } from './errors.js';

/**
 * Refuses a name that is not among the known ones: one that is misspelt would have no effect, and nobody would notice.
 * @throws ConfigurationError
 */
export function checkNames(kind: 'option' | 'hook', given: object, known: ReadonlySet<string>): void {
  for (const name of Object.keys(given)) {
    if (!known.has(name))
      throw new ConfigurationError(`There is no ${kind} '${name}'. The ${kind}s are ${[...known].join(', ')}.`);
  }
}
