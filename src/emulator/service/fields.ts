import { optionIssues, optionsOf, type OptionCheck } from '../../core/call/options.js';

/**
 * Refuses an object with an unknown field or an invalid value.
 * @param kind the kind with its article, for messages: `a duration`
 * @param checks all fields, each with the check of its value
 * @throws RangeError with every mistake
 */
export function checkFields(kind: string, value: object, checks: Readonly<Record<string, OptionCheck>>): void {
  const issues = optionIssues(optionsOf(`a field of ${kind}`, checks), value);
  if (issues.length > 0) throw new RangeError(`${issues.map(({ message }) => message).join('; ')}.`);
}

export class UnknownIdError extends RangeError {
  override readonly name = 'UnknownIdError';
}
