import { unknownNames } from '../../core/names.js';

/**
 * Refuses an object with a field that would have no effect.
 * @throws RangeError that names the one that was probably meant
 */
export function checkFields(kind: string, given: object, known: readonly string[]): void {
  const [first] = unknownNames(`field of ${kind}`, given, new Set(known));
  if (first !== undefined) throw new RangeError(`'${String(first.path[0])}' ${first.message}.`);
}
