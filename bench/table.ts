/** What a run ends with whose figures are over their limits. */
export const overLimits = 4;

/** One line of the table. */
export interface Row {
  readonly what: string;
  /** What was measured, with its unit. */
  readonly found: string;
  /** What it is held to. Missing where nothing is promised. */
  readonly limit?: string;
  readonly passed?: boolean;
  /** What the figure was made of. */
  readonly detail: string;
}

/** A row whose figure must not pass a limit. */
export function atMost(what: string, found: number, limit: number, unit: string, detail: string): Row {
  return { what, found: figure(found, unit), limit: `≤ ${figure(limit, unit)}`, passed: found <= limit, detail };
}

/** A row whose figure must reach a limit. */
export function atLeast(what: string, found: number, limit: number, unit: string, detail: string): Row {
  return { what, found: figure(found, unit), limit: `≥ ${figure(limit, unit)}`, passed: found >= limit, detail };
}

function figure(value: number, unit: string): string {
  if (unit === '×') return `${value.toFixed(2)} ×`;
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 3 : 0)} ms`;

/** The rows as a table in Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, found, limit = '', passed, detail }) => {
    const verdict = passed === undefined ? '' : passed ? 'within' : '**over**';
    return `| ${what} | ${found} | ${limit} | ${verdict} | ${detail} |`;
  });
  return ['| what | found | limit | | made of |', '|---|---|---|---|---|', ...lines].join('\n');
}
