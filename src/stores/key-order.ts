/**
 * Compares two keys by their code points. `<` compares UTF-16 code units, and so sorts U+10000 and above before U+E000.
 * Postgres (collation "C"), SQLite and Redis compare the bytes of UTF-8, in the order of code points.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [unitOfA, unitOfB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

/** Surrogates, which code points from U+10000 on are made of, rank after all other code units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * Returns where a page of a scan begins, as one bound: an index follows only one, and with two it could read all earlier
 * pages again.
 */
export function startOfPage(prefix: string, after: string | undefined): { key: string; isIncluded: boolean } {
  if (after === undefined || compareKeys(after, prefix) < 0) return { key: prefix, isIncluded: true };
  return { key: after, isIncluded: false };
}

/**
 * Returns the first key after all keys with a prefix, in key order. The range from the prefix to it treats the prefix
 * literally, and an index can follow it. `undefined`: every later key has the prefix.
 */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point === 0x10ffff) continue;
    // Between U+D7FF and U+E000 there are only halves of surrogate pairs.
    return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}

/**
 * Returns the condition of SQL for the keys of a page.
 * @param placeholder writes the placeholder of a parameter, by its index from 0
 */
export function keyRange(
  prefix: string,
  after: string | undefined,
  placeholder: (index: number) => string,
): { sql: string; parameters: string[] } {
  const end = endOfPrefix(prefix);
  const start = startOfPage(prefix, after);
  const from = `key ${start.isIncluded ? '>=' : '>'} ${placeholder(0)}`;
  if (end === undefined) return { sql: from, parameters: [start.key] };
  return { sql: `${from} AND key < ${placeholder(1)}`, parameters: [start.key, end] };
}
