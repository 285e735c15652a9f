import type { World } from './world.js';
import { tableOf, recordText, type TableRow } from './table.js';

/** How results are written. */
export type Format = 'text' | 'json' | 'ndjson';

/** A field with such a name holds a secret. */
const secretName = /(?:secret|password|authorization|(?:access|api)[-_]?key)$|^token$/i;
/** A shorter value could be an ordinary word. */
const shortestSecret = 6;

/** Writes results to stdout and notes to stderr. No secret that it knows gets into either. */
export class Output {
  format: Format = 'text';
  /** With `--json`, errors are JSON too. */
  errorsAsJson = false;
  readonly #world: World;
  readonly #secrets = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.format = world.stdout.isTTY === true ? 'text' : 'json';
  }

  /** Replaces this value in everything that is written from now on. */
  hide(secret: string): void {
    if (secret.length >= shortestSecret) this.#secrets.add(secret);
  }

  /** Writes one result. `text` is its readable form for a terminal. */
  result(value: unknown, text: string = recordText(value)): void {
    if (this.format === 'text') this.line(text);
    else this.line(this.format === 'json' ? json(value, 2) : json(value));
  }

  /** Writes a list while it arrives. Nothing is written before the first item, which can fail. */
  async list(items: AsyncIterable<unknown>, columns?: readonly string[]): Promise<number> {
    let count = 0;
    if (this.format === 'text') {
      const rows: TableRow[] = [];
      for await (const item of items) rows.push(item as TableRow);
      count = rows.length;
      this.line(count === 0 ? 'Nothing found.' : tableOf(rows, { columns, width: this.width }));
      return count;
    }
    for await (const item of items) {
      if (this.format === 'ndjson') this.line(json(item));
      else this.write(`${count === 0 ? '[\n' : ',\n'}${json(item, 2).replace(/^/gm, '  ')}`);
      count += 1;
    }
    if (this.format === 'json') this.write(count === 0 ? '[]\n' : '\n]\n');
    return count;
  }

  /** Writes a line to stdout. */
  line(text: string): void {
    this.write(`${text}\n`);
  }

  write(text: string): void {
    this.#world.stdout.write(this.#clean(text));
  }

  /** Writes a line for the user to stderr. With `--json`, stderr contains only errors. */
  note(text: string): void {
    if (!this.errorsAsJson) this.error(text);
  }

  /** Writes a line to stderr. */
  error(text: string): void {
    this.#world.stderr.write(this.#clean(`${text}\n`));
  }

  /** The columns of the terminal. */
  get width(): number {
    return Math.max(40, this.#world.stdout.columns ?? 80);
  }

  /** Whether stdout may have colour. */
  get hasColour(): boolean {
    return this.#world.stdout.isTTY === true && (this.#world.env['NO_COLOR'] ?? '') === '';
  }

  #clean(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '***');
    return clean;
  }
}

/** JSON without the values of secret fields. */
function json(value: unknown, indent?: number): string {
  const hide = (name: string, inner: unknown) => (typeof inner === 'string' && secretName.test(name) ? '***' : inner);
  return JSON.stringify(value ?? null, hide, indent);
}
