import { ConfigurationError } from '../core/errors.js';

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) => typeof value === 'function';
const isLength = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** What each option must be. */
const rules: Readonly<Record<string, readonly [test: (value: unknown) => boolean, must: string]>> = {
  accessKey: [
    (value) => value === null || isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'a key, several keys, or null for no check; a key is not empty',
  ],
  now: [isFunction, 'a function that gives milliseconds'],
  deliver: [isFunction, 'a function that takes a Request and gives a Response'],
  seed: [Number.isFinite, 'a number'],
  clockSkewMs: [Number.isFinite, 'a number of milliseconds; below 0, the service is behind'],
  deliveryTimeoutMs: [isLength, 'a number of 0 or more'],
  retryDelayMs: [isLength, 'a number of 0 or more'],
  creditsPerTarget: [isLength, 'a number of 0 or more'],
  selectionNeedsKey: [(value) => typeof value === 'boolean', 'true or false'],
};

/** Refuses options of `createEmulator` that can't work. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('createEmulator takes an object of options.');
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      throw new ConfigurationError(
        `createEmulator has no option '${name}'. Its options: ${Object.keys(rules).join(', ')}.`,
      );
    }
    const [test, must] = rule;
    if (value !== undefined && !test(value)) throw new ConfigurationError(`createEmulator: ${name} must be ${must}.`);
  }
}
