import { InvalidRequestError } from '../core/errors.js';
import { unknownNames } from '../core/names.js';

/**
 * Refuses an option that is misspelt: it would have no effect, and nobody would notice.
 * @throws InvalidRequestError
 */
export function checkCall(options: object, names: readonly string[]): void {
  const issues = unknownNames('option of this call', options, new Set(names));
  if (issues.length > 0) throw new InvalidRequestError(issues);
}
