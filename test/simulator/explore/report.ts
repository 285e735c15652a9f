/** The tables of docs/durable-tests.md that `--explore` writes. */
import { readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/durable-tests.md';

/** A table between two markers of the page. The first cell of a row names it. */
export interface PageTable {
  readonly marker: string;
  readonly head: readonly string[];
}

export const scenarioTable: PageTable = {
  marker: 'explored',
  head: ['scenario', 'bound 0', 'bound 1', 'bound 2', 'bound 3', 'violations'],
};
export const plantedTable: PageTable = {
  marker: 'explored bugs',
  head: ['planted bug', 'scenario', 'bound', 'after histories', 'faults and interruptions'],
};

/** Writes rows into a table of the page, in the place of rows with the same name. `-` keeps a cell. */
export function writeRows({ marker, head }: PageTable, rows: readonly (readonly string[])[]): void {
  const [start, end] = [`<!-- ${marker}: written by npm run simulate -- --explore -->`, `<!-- /${marker} -->`];
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`${page} has no markers ${start} and ${end}`);
  const known = text
    .slice(from, to)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(`| ${head[0] ?? ''} |`) && !line.startsWith('| --- '))
    .map((line) => line.slice(2, -2).split(' | '));
  const all = new Map(known.map((row) => [row[0], row]));
  for (const row of rows) {
    const before = all.get(row[0] ?? '');
    all.set(
      row[0] ?? '',
      row.map((cell, index) => (cell === '-' ? (before?.[index] ?? cell) : cell)),
    );
  }
  const lines = [head, head.map(() => '---'), ...all.values()].map((row) => `| ${row.join(' | ')} |`);
  writeFileSync(page, `${text.slice(0, from)}${start}\n\n${lines.join('\n')}\n\n${text.slice(to)}`);
}
