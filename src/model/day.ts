export const dayMs = 86_400_000;

/** Describes a date or date-time whose month has no such day: `Date.parse` reads 30 February as 2 March. */
export function missingDay(text: string): string | undefined {
  const [, month = '', day] = /^(\d{4}-(?:0[1-9]|1[0-2]))-(\d\d)/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const last = new Date(month);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  const days = last.getUTCDate();
  if (Number(day) >= 1 && Number(day) <= days) return undefined;
  return `names a day that does not exist: ${month} has ${String(days)} days`;
}

/** Describes a value that is not a time of the expected form. */
export function timeMessage(expected: string, value: unknown): string {
  if (typeof value === 'number') return `${expected}; pass milliseconds as new Date(n)`;
  return (typeof value === 'string' ? missingDay(value) : undefined) ?? expected;
}
