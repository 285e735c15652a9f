/**
 * Compares two keys by their code points. `<` compares UTF-16 code units, and so puts U+10000 and above before U+E000;
 * Postgres (collation "C"), SQLite and Redis compare the bytes of UTF-8, whose order is that of code points.
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
