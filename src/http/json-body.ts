import { halfCharacter, isFields, isWellFormed, type Fields } from '../core/json.js';
import { issueAt } from '../core/options.js';
import type { Issue } from '../core/errors.js';
import type { RequestOptions } from '../core/transport.js';

/**
 * Writes a body as JSON; `undefined` for none.
 * @param isChecked a schema has checked that the body is JSON
 */
export function writeBody(
  method: string,
  { body, extraBody, isChecked }: { body: unknown; extraBody: RequestOptions['extraBody']; isChecked: boolean },
  issues: Issue[],
): string | undefined {
  if (method === 'GET' || method === 'HEAD') {
    if (extraBody !== undefined || body !== undefined)
      issues.push(issueAt(['extraBody'], `must be omitted: a ${method} request has no body`));
    return undefined;
  }
  const path = [extraBody === undefined ? 'body' : 'extraBody'];
  if (extraBody !== undefined && body !== undefined && !isPlainObject(body)) {
    issues.push(issueAt(path, 'needs a body that is an object of fields'));
    return undefined;
  }
  // With `extraBody`, the body is undefined or a plain object.
  const merged = extraBody === undefined ? body : { ...(body as object | undefined), ...extraBody };
  if (merged === undefined) return undefined;
  try {
    const replacer = isChecked && extraBody === undefined ? undefined : refuseOtherKinds;
    const text = JSON.stringify(merged, replacer) as string | undefined;
    if (text !== undefined) {
      if (mayBeCut.test(text)) reportHalfCharacters(JSON.parse(text), [], issues);
      return text;
    }
    issues.push(issueAt(path, 'must be JSON, not a function or a symbol'));
  } catch (error) {
    const mistake =
      error instanceof NoJson ? `must be JSON, not ${error.message}` : 'must not contain itself or a bigint';
    issues.push(issueAt(path, mistake));
  }
  return undefined;
}

/** JSON writes half of a surrogate pair as an escape. A text with a backslash can look the same. */
const mayBeCut = /\\ud[89a-f]/;

function reportHalfCharacters(value: unknown, path: Issue['path'], issues: Issue[]): void {
  if (typeof value === 'string' && !isWellFormed(value)) issues.push(issueAt(path, halfCharacter, 'the body'));
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (!isWellFormed(name)) issues.push(issueAt(place, `is a name that ${halfCharacter}`));
    reportHalfCharacters(inner, place, issues);
  }
}

function isPlainObject(body: unknown): boolean {
  return isFields(body) && kindOf(body) === undefined;
}

class NoJson extends Error {}

/** A replacer for `JSON.stringify` that refuses objects which would become `{}`. */
function refuseOtherKinds(this: Fields, name: string, value: unknown): unknown {
  // `value` is already the result of `toJSON`, which a buffer has.
  const kind = kindOf(this[name]) ?? kindOf(value);
  if (kind !== undefined) throw new NoJson(kind);
  return value;
}

const otherKinds: Readonly<Record<string, string>> = {
  FormData: 'a FormData. Pass an object of fields',
  URLSearchParams: 'URLSearchParams. Pass Object.fromEntries(params), or send them as `query`',
  Blob: 'a Blob. The API document shows no upload of files: send the URL of a file',
  File: 'a File. The API document shows no upload of files: send the URL of a file',
  Map: 'a Map. Pass Object.fromEntries(map)',
  Set: 'a Set. Pass [...set]',
  ArrayBuffer: 'an ArrayBuffer. Pass text, or parse its JSON first',
  SharedArrayBuffer: 'a SharedArrayBuffer. Pass text, or parse its JSON first',
  ReadableStream: 'a stream. Read it first',
};

/** Returns the kind of a value without fields for JSON, of any realm. */
function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return 'binary data. Pass text, or parse its JSON first';
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (Object.hasOwn(otherKinds, name)) return otherKinds[name];
  // Any object can have the field.
  const { pipe } = value as { pipe?: unknown };
  return typeof pipe === 'function' ? otherKinds['ReadableStream'] : undefined;
}
