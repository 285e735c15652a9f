/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields, not an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an array of objects with fields. */
export function areFields(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isFields);
}

/** Copies an object without the fields that are `undefined`, so that it prints and compares well. */
export function withoutUndefined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // The type of `fromEntries` cannot express that `undefined` values are removed.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}

/** Writes JSON that does not depend on the order of keys: equal values have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Returns the names of the fields in which two values differ. */
export function differingFields(one: unknown, other: unknown): string[] {
  const [a, b] = [isFields(one) ? one : {}, isFields(other) ? other : {}];
  return Object.keys({ ...a, ...b }).filter((name) => canonicalJson(a[name]) !== canonicalJson(b[name]));
}

/** Whether a text has no half of a surrogate pair, which would arrive as another character. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}

/** Cuts a text. It never cuts a character in two. */
export function shortText(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Finds what no store can hold. With the flag u, a surrogate matches only if its other half is missing. */
export const notStorable = /[\0\p{Surrogate}]/u;

/** Completes the sentence about a text that is not well-formed. */
export const halfCharacter =
  "must not contain half of a character, such as an emoji that slice() cut. Cut a text between characters: [...text].slice(0, 280).join('')";

/** The maximum depth of nested arrays and objects. The service's own JSON is less than ten deep. */
const maxDepth = 500;

/**
 * Parses JSON from the network, like `JSON.parse` with two differences. It drops `__proto__` keys at any depth, so a
 * later copy cannot change a prototype. It refuses JSON nested more than 500 levels deep, which could overflow the
 * stack of later code.
 * @throws SyntaxError for invalid or too deep JSON (or the engine's error, if its `JSON.parse` overflows itself)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  cleanJson(value, 0);
  return value;
}

/**
 * Drops `__proto__` keys from a parsed value, in place.
 * @param depth the number of arrays and objects around the value
 * @throws SyntaxError for more than 500 levels
 */
export function cleanJson(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxDepth) throw new SyntaxError(`JSON is more than ${String(maxDepth)} deep`);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const item of items) cleanJson(item, depth + 1);
    return;
  }
  const object = value as Fields; // Neither null nor an array.
  for (const key in object) {
    if (key === '__proto__') Reflect.deleteProperty(object, key);
    else cleanJson(object[key], depth + 1);
  }
}

/** The names and indexes on the way to a value inside another one. */
export type JsonPath = readonly (string | number)[];

/** Copies a value as JSON does, but reports what JSON would drop or change. It reads each field once. */
export function jsonCopy(value: unknown, report: (path: JsonPath, mistake: string) => void): unknown {
  const copyOf = (read: unknown, path: JsonPath, parents: readonly unknown[]): unknown => {
    try {
      const written = writtenFor(read, String(path.at(-1) ?? ''));
      // A buffer is refused, although it has a toJSON().
      const mistake = (written === read ? undefined : kindMistake(read)) ?? mistakeOf(written, parents);
      if (mistake !== undefined) {
        report(parents.length > maxDepth ? [] : path, mistake);
        return undefined;
      }
      if (typeof written !== 'object' || written === null) return written;
      const inside = [...parents, written];
      if (Array.isArray(written))
        return written.map((item: unknown, index) => copyOf(item, [...path, index], inside) ?? null);
      // A toJSON() may return its own object.
      const fields = Object.entries(written).filter(([name, item]) => name !== 'toJSON' || typeof item !== 'function');
      const entries = fields.map(([name, item]) => {
        if (!isWellFormed(name)) report([...path, name], `is a name that ${halfCharacter}`);
        return [name, copyOf(item, [...path, name], inside)] as const;
      });
      return Object.fromEntries(entries.filter(([, copy]) => copy !== undefined));
    } catch {
      report(path, 'must be JSON, but reading it throws an error');
      return undefined;
    }
  };
  return copyOf(value, [], []);
}

/** Returns what JSON writes in place of a value. */
function writtenFor(value: unknown, name: string): unknown {
  // JSON does not call toJSON() of a text or a number.
  if (value === null || !['object', 'function', 'bigint'].includes(typeof value)) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const written: unknown = typeof toJSON === 'function' ? toJSON.call(value, name) : value;
  const isBoxed = written instanceof String || written instanceof Number || written instanceof Boolean;
  return isBoxed ? written.valueOf() : written;
}

function mistakeOf(value: unknown, parents: readonly unknown[]): string | undefined {
  if (parents.length > maxDepth) return `must not be more than ${String(maxDepth)} levels deep`;
  if (typeof value === 'string') return isWellFormed(value) ? undefined : halfCharacter;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return `must be JSON, not a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (parents.includes(value)) return 'must not contain itself';
  const isLost = tagOf(value) !== 'Object' && !Array.isArray(value) && Object.keys(value).length === 0;
  return kindMistake(value) ?? (isLost ? `must be a plain object, not a ${tagOf(value)}` : undefined);
}

/** Returns the mistake if an object has a kind that JSON does not have, whatever its toJSON() returns. */
function kindMistake(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const tag = tagOf(value);
  if (tag === 'Date' && Number.isNaN(Number(value))) return 'must be a valid Date';
  const advice = adviceOf(value, tag);
  return advice && `must be JSON, not ${advice}`;
}

/** `Map` for a map of any realm. */
const tagOf = (value: object) => Object.prototype.toString.call(value).slice('[object '.length, -1);

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
