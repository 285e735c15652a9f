import { isSecretName, redactor, redactValue, type Redact } from '../core/redactor.js';
import type { World } from './world.js';
import { tableOf, recordText, type TableRow } from './table.js';

/** How results are written. */
export type Format = 'text' | 'json' | 'ndjson';

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
  async list(items: AsyncIterable<unknown> | Iterable<unknown>, columns?: readonly string[]): Promise<number> {
    let count = 0;
    if (this.format === 'text') {
      const rows: TableRow[] = [];
      // A cut cell would show the start of a secret.
      for await (const item of items) rows.push(this.#cleanValue(item) as TableRow);
      count = rows.length;
      this.line(count === 0 ? 'Nothing found.' : tableOf(rows, { columns, width: this.width }));
      return count;
    }
    for await (const item of items) {
      const clean = this.#cleanValue(item);
      if (this.format === 'ndjson') this.#writeJson(`${json(clean)}\n`);
      else this.#writeJson(`${count === 0 ? '[\n' : ',\n'}${json(clean, 2).replace(/^/gm, '  ')}`);
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
    return redactValue(value ?? null, { redact: this.#redact, isSecret: isSecretName });
  }
}

function json(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent);
}
