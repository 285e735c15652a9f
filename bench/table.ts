import type { Ratio } from './measure.js';

/** The exit code if a figure exceeds its limit. */
export const overLimits = 4;

/** One line of the table. */
export interface Row {
  readonly what: string;
  /** The measured figure, with its unit. */
  readonly found: string;
  readonly limit: string;
  readonly passed: boolean;
  /** The parts of the figure. */
  readonly detail: string;
}

/** A row with an upper limit. */
export function atMost(what: string, found: number, limit: number, unit: string, detail: string): Row {
  return { what, found: figure(found, unit), limit: `≤ ${figure(limit, unit)}`, passed: found <= limit, detail };
}

/** A row for a multiple, with an upper limit. Its details begin with the spread. */
export function atMostTimes(what: string, found: Ratio, limit: number, detail: string): Row {
  return atMost(what, found.median, limit, '×', `${spread(found)}; ${detail}`);
}

/** The same with a lower limit. */
export function atLeastTimes(what: string, found: Ratio, limit: number, detail: string): Row {
  const { median } = found;
  const times = (value: number) => figure(value, '×');
  return {
    what,
    found: times(median),
    limit: `≥ ${times(limit)}`,
    passed: median >= limit,
    detail: `${spread(found)}; ${detail}`,
  };
}

function spread({ low, high }: Ratio): string {
  return `half of the rounds ${low.toFixed(2)} to ${high.toFixed(2)}`;
}

function figure(value: number, unit: string): string {
  if (unit === '×') return `${value.toFixed(2)} ×`;
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 3 : 0)} ms`;

/** Formats the rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, found, limit, passed, detail }) => {
    const verdict = passed ? 'within' : '**over**';
    return `| ${what} | ${found} | ${limit} | ${verdict} | ${detail} |`;
  });
  return ['| measured | result | limit | | details |', '|---|---|---|---|---|', ...lines].join('\n');
}
