import type { Issue } from '../core/errors.js';
import type { PathParameter } from '../core/endpoint.js';

const longestParameter = 512;

/** The names in a path template's braces. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
}

/**
 * Fills a path template, so that each parameter arrives as exactly one segment. Reports what can't: `.` and `..` would be
 * taken for folders by every URL parser, also when they are encoded.
 */
export function fillPath(
  path: string,
  params: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, PathParameter>>,
  issues: Issue[],
): string {
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const rule = rules[name];
    const problem = parameterProblem(value, rule?.minLength ?? 1, rule?.maxLength ?? longestParameter);
    if (problem === undefined) return encodeURIComponent(value as string);
    issues.push({ path: [name], message: problem });
    return '';
  });
  // A template such as '/v1/%2{name}' could still make one.
  if (filled.split('/').some(isFolder))
    issues.push({ path: ['route'], message: "must not make a segment '.' or '..'" });
  return filled;
}

/** A segment that a URL parser takes for a folder: `.` and `..`, also encoded. */
export function isFolder(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

function parameterProblem(value: unknown, minLength: number, maxLength: number): string | undefined {
  if (value === undefined) return 'is a required path parameter';
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < minLength || value.length > maxLength) {
    return `must have ${String(minLength)} to ${String(maxLength)} characters`;
  }
  if (value === '.' || value === '..') return "must not be '.' or '..'";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return 'must not contain control characters';
  if (/[\ud800-\udfff]/u.test(value)) return 'must be well-formed Unicode';
  return undefined;
}

/** Writes query parameters: an array repeats its key, an empty array and `undefined` are left out. */
export function writeQuery(
  query: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  issues: Issue[],
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...extra })) {
    for (const part of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (part === undefined) continue;
      if (part instanceof Date && !Number.isNaN(part.getTime())) search.append(name, part.toISOString());
      // A null is checked where the document gives it a meaning: it is sent as the literal 'null'.
      else if (part === null || typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean') {
        search.append(name, String(part));
      } else {
        issues.push({ path: [name], message: 'must be a string, number, boolean, Date, or an array of these' });
      }
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
