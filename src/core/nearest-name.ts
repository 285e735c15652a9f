/** Longer names are unlikely to be misspelt, and comparing them is slow. */
const longestName = 40;

/** Returns the known name that is nearest to a misspelt one. Two letters of five may differ, at most three in all. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(name.length / 2.5)) + 1;
  for (const candidate of known) {
    const differs = distance(name.toLowerCase(), candidate.toLowerCase());
    if (differs < least) [nearest, least] = [candidate, differs];
  }
  return nearest;
}

/** Counts the letters that must be added, removed, replaced or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          replaced,
          swapped ? at(row - 2, column - 2) + 1 : replaced,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
