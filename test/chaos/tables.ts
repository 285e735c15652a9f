/** The tables that chaos runs print, and write into docs/durable-tests.md. */
import { readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/durable-tests.md';
const programs = { chaos: 'npm run chaos', failover: 'npm run chaos -- --failover' } as const;

export type Column<Result> = readonly [title: string, cell: (result: Result) => string | number];

export function tableOf<Result>(all: readonly Result[], columns: readonly Column<Result>[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([title]) => title)),
    line(columns.map(() => '---')),
    ...all.map((result) => line(columns.map(([, cell]) => cell(result)))),
  ].join('\n');
}

export function heldOf(held: Readonly<Record<string, number>>): string {
  const sum = Object.values(held).reduce((total, count) => total + count, 0);
  const points = Object.entries(held).map(([point, count]) => `${point}: ${count}`);
  return points.length === 0 ? String(sum) : `${sum} (${points.sort().join(', ')})`;
}

/** Writes a text between the markers of the page. */
export function writeTable(name: keyof typeof programs, text: string): void {
  const [begin, end] = [`<!-- ${name}: written by ${programs[name]} -->`, `<!-- /${name} -->`];
  const old = readFileSync(page, 'utf8');
  const [before, after] = [old.indexOf(begin), old.indexOf(end)];
  if (before === -1 || after === -1) {
    console.log(`${page} has no place for the table.`);
    return;
  }
  writeFileSync(page, `${old.slice(0, before)}${begin}\n\n${text}\n\n${old.slice(after)}`);
}
