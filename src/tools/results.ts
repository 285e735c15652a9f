import type { ToolResult } from './tool.js';

/** The maximum number of items in a list of a result. */
export const mostItems = 20;
/** The maximum size of `data` as JSON in UTF-8. */
const mostBytes = 16_384;

export type Data = Readonly<Record<string, unknown>>;

/** Fields with text of any length. Only these are shortened: a cut ID or cursor is useless. */
const textFields: ReadonlySet<string> = new Set(['content', 'text', 'untrustedText', 'error', 'warning', 'dmMessage']);
const textLengths = [4_000, 2_000, 1_000, 500, 250, 100];

export function ok(summary: string, data: Data, next?: string): ToolResult {
  return result('ok', summary, { data, next });
}

export function result(
  status: ToolResult['status'],
  summary: string,
  { data, next }: { readonly data?: Data | undefined; readonly next?: string | undefined } = {},
): ToolResult {
  return {
    status,
    summary,
    ...(data === undefined ? {} : { data: fitted(data) }),
    ...(next === undefined ? {} : { next }),
  };
}

/** A part of a list, and how to continue after some of its items. */
export interface ListPart {
  /** The name of the list in `data`. */
  readonly name: string;
  /** At most 20 items. */
  readonly items: readonly Data[];
  /** Returns the cursor after this number of items; `undefined`: there are no more. */
  readonly cursorAfter: (count: number) => string | undefined;
  /** Other fields of `data`. */
  readonly also?: Data;
}

/**
 * Creates the result of a list: as many items as fit, and a cursor if there are more.
 * @param noun the kind of items, in the plural
 */
export function listResult({ name, items, cursorAfter, also }: ListPart, noun: string): ToolResult {
  const dataOf = (count: number): Data => {
    const cursor = cursorAfter(count);
    return { ...also, [name]: items.slice(0, count), ...(cursor === undefined ? {} : { cursor }) };
  };
  let count = Math.min(items.length, mostItems);
  while (count > 1 && bytesOf(dataOf(count)) > mostBytes) count -= 1;
  const data = dataOf(count);
  const summary = `${String(count)} ${count === 1 ? singular(noun) : noun}${'cursor' in data ? '; there are more' : ''}.`;
  return ok(summary, data, 'cursor' in data ? 'To read more, call again with this cursor.' : undefined);
}

function singular(noun: string): string {
  return noun.replace(/s$/, '');
}

function bytesOf(data: Data): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/** Shortens long texts until the data fits. */
function fitted(data: Data): Data {
  if (bytesOf(data) <= mostBytes) return data;
  for (const length of textLengths) {
    // An object stays an object.
    const shorter = { ...(shortened(data, length, false) as Data), truncated: true };
    if (bytesOf(shorter) <= mostBytes) return shorter;
  }
  const { cursor } = data;
  return { truncated: true, ...(cursor === undefined ? {} : { cursor }) };
}

function shortened(value: unknown, length: number, isText: boolean): unknown {
  if (typeof value === 'string') return isText ? shortText(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, length, isText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shortened(inner, length, isText || textFields.has(name))]),
  );
}

/** Cuts a text. It never cuts a character in two. */
export function shortText(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** The agent's own text for a question to the user, in quotes. A control character could hide a part of it. */
export function quoted(text: string): string {
  return `"${shortText(text.replace(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' '), 300)}"`;
}

/** Returns an object without its undefined fields. */
export function defined(fields: Data): Data {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Keeps a list inside an item short. */
export function atMost(name: string, items: readonly unknown[] | undefined, most = mostItems): Data {
  if (items === undefined || items.length === 0) return {};
  const more = items.length - most;
  return { [name]: items.slice(0, most), ...(more > 0 ? { [`more_${name}`]: more } : {}) };
}
