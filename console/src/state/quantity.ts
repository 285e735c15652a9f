const grouped = new Intl.NumberFormat('en-GB');

/** Formats a number of items: 1 post, 10,000 posts. */
export function quantity(count: number, one: string, many: string): string {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}

/** Formats a part of known items, if it is not all of them: 1,429 of 10,000 posts. */
export function partOf(some: number, all: number, known: string): string {
  return some === all ? known : `${grouped.format(some)} of ${known}`;
}

/** Counts equal names: 3 published, 1 partial. */
export function countByName(names: readonly string[], wordsOf = (name: string, count: number) => `${count} ${name}`) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => wordsOf(name, count)).join(', ');
}
