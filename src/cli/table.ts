import { stripVTControlCharacters } from 'node:util';

/** One item of a list. */
export type TableRow = Readonly<Record<string, unknown>>;

/** The columns that people look for first. The others follow in the order of the items. */
const firstColumns = [
  'postId',
  'id',
  'key',
  'state',
  'status',
  'platform',
  'username',
  'name',
  'scheduledFor',
  'platforms',
  'content',
  'text',
  'author',
  'from',
  'timestamp',
];
const widestCell = 40;
const gap = '  ';

/** Makes a table of the columns that fit the width. */
export function tableOf(
  rows: readonly TableRow[],
  { columns, width }: { columns?: readonly string[] | undefined; width: number },
): string {
  const names = columns ?? columnsOf(rows);
  const shown: { name: string; cells: readonly string[]; width: number }[] = [];
  let used = 0;
  for (const name of names) {
    const cells = [name, ...rows.map((row) => shorten(cellText(row[name]), widestCell))];
    if (cells.slice(1).every((cell) => cell === '')) continue;
    const columnWidth = Math.max(...cells.map((cell) => cell.length));
    if (used + columnWidth > width && shown.length > 0) continue;
    shown.push({ name, cells, width: columnWidth });
    used += columnWidth + gap.length;
  }
  const lines = Array.from({ length: rows.length + 1 }, (_, index) =>
    shown
      .map(({ cells, width: columnWidth }) => (cells[index] ?? '').padEnd(columnWidth))
      .join(gap)
      .trimEnd(),
  );
  return lines.join('\n');
}

function columnsOf(rows: readonly TableRow[]): string[] {
  const found = new Set(rows.flatMap((row) => Object.keys(row)));
  const first = firstColumns.filter((name) => found.has(name));
  return [...first, ...[...found].filter((name) => !first.includes(name))];
}

/** Makes readable lines of one result: `name: value`. */
export function recordText(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item) => `${indent}- ${recordText(item, `${indent}  `).trimStart()}`).join('\n');
  }
  if (typeof value !== 'object' || value === null) return `${indent}${cellText(value)}`;
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => fieldText(name, inner, indent))
    .join('\n');
}

function fieldText(name: string, value: unknown, indent: string): string {
  if (/(?:secret|accessKey)$|^token$/i.test(name) && typeof value === 'string') return `${indent}${name}: ***`;
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return isNested ? `${indent}${name}:\n${recordText(value, `${indent}  `)}` : `${indent}${name}: ${cellText(value)}`;
}

/** A value in one line, without control characters: a stranger may have written it. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const targets = Array.isArray(value) ? value.map(targetText) : [];
  if (targets.length > 0 && targets.every((text) => text !== undefined)) return targets.join(' ');
  const { name, username } = value as { name?: unknown; username?: unknown };
  if (typeof name === 'string' || typeof username === 'string') return cellText(name ?? username);
  return printable(JSON.stringify(value));
}

/** A target of a post: `bluesky:published`. */
function targetText(item: unknown): string | undefined {
  if (typeof item === 'string') return printable(item);
  const { platform, status } = (item ?? {}) as { platform?: unknown; status?: unknown };
  if (typeof platform !== 'string') return undefined;
  return printable(typeof status === 'string' ? `${platform}:${status}` : platform);
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Text without escape sequences and other control characters. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
