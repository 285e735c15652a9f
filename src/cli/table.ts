import { stripVTControlCharacters } from 'node:util';

export type TableRow = Readonly<Record<string, unknown>>;

/** The columns that users check first. The others follow in the order of the items. */
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
const narrowestCut = 12;
const gap = '  ';

export function tableOf(
  rows: readonly TableRow[],
  { columns, width }: { columns?: readonly string[] | undefined; width: number },
): string {
  const names = columns ?? columnsOf(rows);
  const shown: { cells: readonly string[]; width: number }[] = [];
  let left = width;
  for (const name of names) {
    const texts = rows.map((row) => cellText(row[name]));
    const full = Math.min(widestCell, Math.max(name.length, ...texts.map((text) => text.length)));
    const columnWidth = Math.min(full, left);
    // A shortened column must still show something.
    if (texts.every((text) => text === '') || (columnWidth < full && columnWidth < narrowestCut)) continue;
    shown.push({ cells: [name, ...texts].map((text) => shorten(text, columnWidth)), width: columnWidth });
    left -= columnWidth + gap.length;
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
  if (typeof value === 'object' && (value === null || Object.keys(value).length === 0))
    return `${indent}${name}: ${JSON.stringify(value)}`;
  return typeof value === 'object'
    ? `${indent}${name}:\n${recordText(value, `${indent}  `)}`
    : `${indent}${name}: ${cellText(value)}`;
}

/** A value in one line, without control characters, because other people may have written it. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item) => targetText(item) ?? cellText(item)).join(' ');
  }
  // The author of a text, and the newest message of a conversation.
  const { name, username, text } = value as { name?: unknown; username?: unknown; text?: unknown };
  const shown = [name, username, text].find((one) => typeof one === 'string');
  if (shown !== undefined) return cellText(shown);
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
