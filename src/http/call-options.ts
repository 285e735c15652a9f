import type { Issue } from '../core/errors.js';
import { unknownNames } from '../core/names.js';
import type { RequestOptions } from '../core/transport.js';

/** The names of a call's options. */
export const optionNames: ReadonlySet<string> = new Set<keyof RequestOptions>([
  'signal',
  'timeoutMs',
  'totalTimeoutMs',
  'maxRetries',
  'headers',
  'extraQuery',
  'extraBody',
]);

/** Checks the names of a call's options: one that is misspelt would have no effect, and nobody would notice. */
export function checkOptions(options: unknown, issues: Issue[]): void {
  if (typeof options !== 'object' || options === null) {
    issues.push({ path: ['options'], message: 'must be an object' });
    return;
  }
  for (const issue of unknownNames('option of a call', options, optionNames)) issues.push(issue);
  const { signal, extraQuery, extraBody } = options as Record<string, unknown>;
  if (signal !== undefined && !(typeof signal === 'object' && signal !== null && 'addEventListener' in signal)) {
    issues.push({ path: ['signal'], message: 'must be an AbortSignal' });
  }
  checkObject('extraQuery', extraQuery, issues);
  checkObject('extraBody', extraBody, issues);
}

function checkObject(name: string, value: unknown, issues: Issue[]): void {
  if (value !== undefined && (typeof value !== 'object' || value === null))
    issues.push({ path: [name], message: 'must be an object' });
}
