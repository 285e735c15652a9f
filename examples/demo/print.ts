import { setTimeout } from 'node:timers/promises';

/** Plain lines for a terminal; colour only if the output is a terminal. */
const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const paint = (code: number) => (text: string) => (colour ? `\u001b[${String(code)}m${text}\u001b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

/** The pause after each step, so that viewers can follow. */
const paceMs = process.argv.includes('--fast') ? 0 : 650;

let step = 0;

/** Prints the heading of the next step after a pause. */
export async function heading(text: string): Promise<void> {
  if (step > 0) await setTimeout(paceMs);
  step += 1;
  console.log(`\n${bold(`${String(step).padStart(2)}. ${text}`)}`);
}

/** Prints one line of a step. */
export function line(text: string): void {
  console.log(`    ${text}`);
}

/** Prints a table with fitting column widths. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows)
    line(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

const blocks = ' ▁▂▃▄▅▆▇█';
const height = 5;

/** Prints a small chart: a column for each value, from 0 to the largest. */
export function chart(values: readonly { readonly date: string; readonly value: number }[]): void {
  const most = Math.max(1, ...values.map(({ value }) => value));
  for (let row = height - 1; row >= 0; row -= 1) {
    const cells = values.map(({ value }) => {
      const eighths = Math.round((value / most) * height * 8) - row * 8;
      return (blocks[Math.min(8, Math.max(0, eighths))] ?? ' ').repeat(2);
    });
    const label = row === height - 1 ? String(most) : row === 0 ? '0' : '';
    line(`${label.padStart(6)} │${cells.join('')}`);
  }
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return;
  line(`       └${'─'.repeat(values.length * 2)}`);
  line(`        ${first.date}${last.date.padStart(values.length * 2 - first.date.length)}`);
}
