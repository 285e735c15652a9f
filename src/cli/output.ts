import type { DurableStore } from '../publisher/index.js';
import { shortText } from '../core/json.js';
import { redactor, redactValue, type Redact } from '../core/redactor.js';
import { stripVTControlCharacters } from 'node:util';

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface InputStream extends AsyncIterable<unknown> {
  readonly isTTY?: boolean | undefined;
}

export interface OpenCommandStore {
  readonly store: DurableStore;
  readonly close: () => unknown;
}

/** The parts of the process that the command uses. Tests pass their own. */
export interface World {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ctrl-C aborts it. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Waits until stdout is written. Resolves to the error if that failed, for example if the disk is full. */
  readonly flush?: () => Promise<Error | undefined>;
  /** Replaces the SQLite file, for tests on a Node without `node:sqlite`. */
  readonly openFile?: (file: string) => Promise<OpenCommandStore>;
}

/** How results are written. */
export type Format = 'text' | 'json' | 'ndjson';

interface ListOptions {
  /** The columns of the table. Default: all fields. */
  readonly columns?: readonly string[] | undefined;
  /** The maximum number of items. No further item is read. */
  readonly limit?: number | undefined;
}

/** Writes results to stdout and notes to stderr, without known secrets. */
export class Output {
  format: Format = 'text';
  /** With `--json`, errors are JSON too. */
  errorsAsJson = false;
  readonly #world: World;
  readonly #secrets = new Set<string>();
  #redact: Redact = redactor([]);

  constructor(world: World) {
    this.#world = world;
    this.format = world.stdout.isTTY === true ? 'text' : 'json';
  }

  /** Replaces this value in everything that is written from now on. */
  hide(secret: string): void {
    this.#secrets.add(secret);
    this.#redact = redactor([...this.#secrets]);
  }

  /** Writes one result. On a terminal, it writes `shown`: a text, or a value with fewer fields. */
  result(value: unknown, shown: unknown = value): void {
    if (this.format === 'text') this.line(typeof shown === 'string' ? shown : recordText(this.#cleanValue(shown)));
    else this.#writeJson(`${json(this.#cleanValue(value), this.format === 'json' ? 2 : undefined)}\n`);
  }

  /** Writes a list while it arrives. Writes nothing before the first item, because reading it can fail. */
  async list(
    items: AsyncIterable<unknown> | Iterable<unknown>,
    { columns, limit = Infinity }: ListOptions = {},
  ): Promise<void> {
    const rows: TableRow[] = [];
    let count = 0;
    for await (const item of items) {
      const clean = this.#cleanValue(item);
      // A cut cell would show the start of a secret.
      if (this.format === 'text') rows.push(clean as TableRow);
      else if (this.format === 'ndjson') this.#writeJson(`${json(clean)}\n`);
      else this.#writeJson(`${count === 0 ? '[\n' : ',\n'}${json(clean, 2).replace(/^/gm, '  ')}`);
      count += 1;
      if (count >= limit) break;
    }
    if (this.format === 'text')
      this.line(count === 0 ? 'Nothing found.' : tableOf(rows, { columns, width: this.width }));
    if (this.format === 'json') this.write(count === 0 ? '[]\n' : '\n]\n');
  }

  /** Writes a line to stdout. */
  line(text: string): void {
    this.write(`${text}\n`);
  }

  write(text: string): void {
    this.#world.stdout.write(this.#redact(text));
  }

  /** Writes a line for the user to stderr. With `--json`, stderr contains only errors. */
  note(text: string): void {
    if (!this.errorsAsJson) this.error(text);
  }

  error(text: string): void {
    this.#world.stderr.write(this.#redact(`${text}\n`));
  }

  get width(): number {
    return Math.max(40, this.#world.stdout.columns ?? 80);
  }

  get hasColour(): boolean {
    return this.#world.stdout.isTTY === true && (this.#world.env['NO_COLOR'] ?? '') === '';
  }

  /** Writes JSON of values without secrets: hiding a short secret in its marks would break it. */
  #writeJson(text: string): void {
    this.#world.stdout.write(text);
  }

  #cleanValue(value: unknown): unknown {
    return redactValue(value ?? null, this.#redact);
  }
}

function json(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent);
}

export type TableRow = Readonly<Record<string, unknown>>;

/** The columns that users check first. The others follow in the order of the items. */
const firstColumns =
  'postId id key state status platform username name scheduledFor platforms content text author from timestamp'.split(
    ' ',
  );
const widestCell = 40;
const narrowestCut = 12;
const gap = '  ';

export function tableOf(
  rows: readonly TableRow[],
  { columns, width }: Pick<ListOptions, 'columns'> & { readonly width: number },
): string {
  const names = columns ?? columnsOf(rows);
  const shown: { cells: readonly string[]; width: number }[] = [];
  let left = width;
  for (const name of names) {
    const texts = rows.map((row) => cellText(row[name]));
    const longest = texts.reduce((most, text) => Math.max(most, text.length), name.length);
    const full = Math.min(widestCell, longest);
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
function cellText(value: unknown): string {
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
  return text.length > length ? shortText(text, length - 1) : text;
}

/** `1 post`, `2 posts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Text without escape sequences, other control characters, and characters that reverse a line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');
}
