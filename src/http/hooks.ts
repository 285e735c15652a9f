import { ConfigurationError } from '../core/errors.js';
import type { ClientHooks } from '../core/hooks.js';
import { checkNames } from '../core/names.js';

const hookNames: ReadonlySet<string> = new Set<keyof ClientHooks>([
  'onStart',
  'onRequest',
  'onResponse',
  'onRetry',
  'onError',
  'onEnd',
  'onDrift',
]);

/**
 * Checks a client's hooks, one object or several, and makes a list of them. In a list, `undefined` and `false` stand for
 * hooks that are switched off.
 * @throws ConfigurationError
 */
export function readHooks(hooks: unknown): ClientHooks[] {
  const list: readonly unknown[] = Array.isArray(hooks) ? hooks.filter((one) => one !== false) : [hooks];
  const given = list.filter((one) => one !== undefined);
  return given.map((one) => {
    if (typeof one !== 'object' || one === null)
      throw new ConfigurationError('hooks must be an object of functions, or an array of such objects.');
    checkNames('hook', one, hookNames);
    for (const [name, hook] of Object.entries(one)) {
      if (hook !== undefined && typeof hook !== 'function')
        throw new ConfigurationError(`hooks.${name} must be a function.`);
    }
    return one;
  });
}
