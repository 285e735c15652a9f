import { issueAt } from '../core/options.js';
import type { Issue } from '../core/errors.js';
import type { RequestOptions } from '../core/transport.js';

/**
 * Writes a body as JSON; `undefined` for none.
 * @param isChecked a schema saw that the body holds what JSON can hold
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
  if (extraBody !== undefined && body !== undefined && !isFields(body)) {
    issues.push(issueAt(path, 'needs a body that is an object of fields'));
    return undefined;
  }
  const merged = extraBody === undefined ? body : { ...(body as object | undefined), ...extraBody };
  if (merged === undefined) return undefined;
  try {
    const replacer = isChecked && extraBody === undefined ? undefined : refuseOtherKinds;
    // A buffer would turn itself into an object before the replacer sees it.
    refuseOtherKinds('', merged);
    const text = JSON.stringify(merged, replacer) as string | undefined;
    if (text !== undefined) return text;
    issues.push(issueAt(path, 'must be what JSON can hold, not a function or a symbol'));
  } catch (error) {
    const what = error instanceof NoJson ? `not ${error.message}` : 'no cycles and no bigints';
    issues.push(issueAt(path, `must be what JSON can hold: ${what}`));
  }
  return undefined;
}

function isFields(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && kindOf(body) === undefined;
}

class NoJson extends Error {}

/** As a replacer of `JSON.stringify`, which would make `{}` of what keeps its content elsewhere. */
function refuseOtherKinds(_name: string, value: unknown): unknown {
  const kind = kindOf(value);
  if (kind !== undefined) throw new NoJson(kind);
  return value;
}

const otherKinds: Readonly<Record<string, string>> = {
  FormData: 'a FormData; the service takes JSON. Pass an object of fields',
  URLSearchParams: 'URLSearchParams. Give Object.fromEntries(params), or send them as `query`',
  Blob: 'a Blob. Files have no documented upload; send the URL of one',
  File: 'a File. Files have no documented upload; send the URL of one',
  Map: 'a Map. Give Object.fromEntries(map)',
  Set: 'a Set. Give [...set]',
  ArrayBuffer: 'an ArrayBuffer. Pass text, or the parsed JSON that it contains',
  SharedArrayBuffer: 'a SharedArrayBuffer. Pass text, or the parsed JSON that it contains',
  ReadableStream: 'a stream. Read it first',
};

/** What a value is that has no fields for JSON to see, of any realm. */
function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return 'binary data. Pass text, or the parsed JSON that it contains';
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (Object.hasOwn(otherKinds, name)) return otherKinds[name];
  const { pipe } = value as { pipe?: unknown };
  return typeof pipe === 'function' ? otherKinds['ReadableStream'] : undefined;
}
