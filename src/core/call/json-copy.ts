/** Whether JSON can hold a value that a caller passed. */
import type { Issue } from '../errors.js';
import { halfCharacter, isWellFormed, maxDepth } from '../json.js';
import { issueAt } from './options.js';

/** Copies a value as JSON does, but reports what JSON would drop or change. */
export function jsonCopy(
  value: unknown,
  path: Issue['path'],
  issues: Issue[],
  parents: readonly unknown[] = [],
): unknown {
  const mistake = mistakeOf(value, parents);
  if (mistake !== undefined) {
    issues.push(issueAt(path, mistake));
    return undefined;
  }
  const inside = [...parents, value];
  if (hasToJson(value)) {
    try {
      return jsonCopy(value.toJSON(String(path.at(-1) ?? '')), path, issues, inside);
    } catch {
      issues.push(issueAt(path, 'must be JSON: its method toJSON() throws'));
      return undefined;
    }
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      item === undefined ? null : jsonCopy(item, [...path, index], issues, inside),
    );
  }
  const entries = Object.entries(value).map(([name, item]) => {
    if (!isWellFormed(name)) issues.push(issueAt([...path, name], `is a name that ${halfCharacter}`));
    return [name, jsonCopy(item, [...path, name], issues, inside)] as const;
  });
  return Object.fromEntries(entries.filter(([, copy]) => copy !== undefined));
}

function mistakeOf(value: unknown, parents: readonly unknown[]): string | undefined {
  if (parents.length > maxDepth) return `must not be more than ${String(maxDepth)} levels deep`;
  if (typeof value === 'string') return isWellFormed(value) ? undefined : halfCharacter;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
  if (typeof value === 'function' || typeof value === 'symbol' || (typeof value === 'bigint' && !hasToJson(value)))
    return `must be JSON, not a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (parents.includes(value)) return 'must not contain itself';
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const advice = adviceOf(value, name);
  if (advice !== undefined) return `must be JSON, not ${advice}`;
  if (name === 'Date' && Number.isNaN(Number(value))) return 'must be a valid Date';
  if (name === 'Object' || Array.isArray(value) || hasToJson(value)) return undefined;
  return `must be a plain object, not a ${name}`;
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

/** Returns what to pass in place of a value without fields for JSON, of any realm. */
function adviceOf(value: object, name: string): string | undefined {
  if (ArrayBuffer.isView(value)) return 'binary data. Pass text, or parse its JSON first';
  if (Object.hasOwn(otherKinds, name)) return otherKinds[name];
  // Any object can have the field.
  const { pipe } = value as { pipe?: unknown };
  return typeof pipe === 'function' ? otherKinds['ReadableStream'] : undefined;
}

function hasToJson(value: unknown): value is { toJSON(name: string): unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function';
}
