import { issueAt } from '../core/call/options.js';
import type { Issue } from '../core/errors.js';
import { isWellFormed } from '../core/json.js';
import type { PathParameter } from '../core/call/endpoint.js';
import { epochOf } from '../model/instant.js';

const longestParameter = 512;

/** A parsed path template: texts, and the parameters between them. */
export interface PathTemplate {
  readonly texts: readonly string[];
  /** The names in the braces. */
  readonly names: readonly string[];
  /** Whether a parameter is only a part of a segment: together with the surrounding text, it could form `.` or `..`. */
  readonly joinsSegments: boolean;
}

export function compilePath(path: string): PathTemplate {
  const parts = path.split(/\{([^{}]+)\}/);
  const joinsSegments = path.split('/').some((segment) => segment.includes('{') && !/^\{[^{}]+\}$/.test(segment));
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
    joinsSegments,
  };
}

/**
 * Fills a path template, so that each parameter is exactly one segment. Reports each parameter that cannot form a
 * segment: every URL parser treats `.` and `..` as folders, even if they are encoded.
 */
export function fillPath(
  template: PathTemplate,
  params: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, PathParameter>>,
  issues: Issue[],
): string {
  const { texts, names } = template;
  let filled = texts[0] ?? '';
  for (const [index, name] of names.entries()) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const rule = rules[name];
    const problem = parameterProblem(value, rule?.minLength ?? 1, rule?.maxLength ?? longestParameter);
    // A parameter without a problem is a string.
    if (problem === undefined) filled += encodeURIComponent(value as string);
    else issues.push(issueAt([name], problem));
    filled += texts[index + 1] ?? '';
  }
  // A template such as '/v1/%2{name}' could still create one.
  if (template.joinsSegments && filled.split('/').some(isFolder))
    issues.push(issueAt(['route'], "must not produce the path segment '.' or '..'"));
  return filled;
}

/** A segment that a URL parser treats as a folder: `.` and `..`, also encoded. */
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
  if (!isWellFormed(value)) return 'must be well-formed Unicode';
  return undefined;
}

/** Writes query parameters. An array repeats its name; an empty array and `undefined` are omitted. */
export function writeQuery(
  query: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  issues: Issue[],
): string {
  let text = '';
  const append = (name: string, value: string) => {
    text += `${text === '' ? '?' : '&'}${encode(name)}=${encode(value)}`;
  };
  for (const [name, value] of Object.entries({ ...query, ...extra })) {
    for (const part of [value].flat()) {
      if (part === undefined) continue;
      if (!isWellFormed(name) || (typeof part === 'string' && !isWellFormed(part)))
        issues.push(issueAt([name], 'must be well-formed Unicode'));
      const instant = epochOf(part);
      if (instant !== undefined) append(name, new Date(instant).toISOString());
      // A null is checked if the document gives it a meaning: it is sent as the literal 'null'.
      else if (part === null || typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean') {
        append(name, String(part));
      } else {
        issues.push(issueAt([name], 'must be a string, number, boolean, Date, or an array of these'));
      }
    }
  }
  return text;
}

/** As `URLSearchParams` encodes a name or a value. Most need no encoding. */
function encode(text: string): string {
  return /^[\w.*-]*$/.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}

/** Whether a URL uses TLS on a port other than 443. */
export function hasOwnTlsPort(url: string): boolean {
  return /^https:\/\/[^/]*:\d+(?:\/|$)/.test(url);
}
