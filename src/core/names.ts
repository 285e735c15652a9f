import { ConfigurationError, type Issue } from './errors.js';

/**
 * Finds the names that are not among the known ones: one that is misspelt would have no effect, and nobody would notice.
 * @param kind what the names are, for example `option of a call`
 * @returns for each what is wrong, which name was probably meant, and which there are; its path is the name alone
 */
export function unknownNames(kind: string, given: object, known: ReadonlySet<string>): Issue[] {
  return others(given, known).map(({ path, meant }) => ({
    path,
    message: `is no ${kind}${meant ?? '.'} There are ${[...known].join(', ')}`,
  }));
}

/** Finds the names that are a slip of the pen for one of these. Others may be known elsewhere, for example to the call itself. */
export function misspeltNames(given: object, known: ReadonlySet<string>): Issue[] {
  return others(given, known).flatMap(({ path, meant }) =>
    meant === undefined ? [] : [{ path, message: `is no option${meant}` }],
  );
}

function others(given: object, known: ReadonlySet<string>): { path: [string]; meant: string | undefined }[] {
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => {
      const near = nearestName(name, known);
      return { path: [name], meant: near && `; did you mean '${near}'?` };
    });
}

/**
 * Refuses names that are not among the known ones.
 * @throws ConfigurationError
 */
export function checkNames(kind: string, given: object, known: ReadonlySet<string>): void {
  refuse(unknownNames(kind, given, known));
}

/**
 * Refuses names that are a slip of the pen for a known one. Others stay: an object may be given that holds more.
 * @throws ConfigurationError
 */
export function checkSlips(given: object, known: ReadonlySet<string>): void {
  refuse(misspeltNames(given, known));
}

function refuse([first]: readonly Issue[]): void {
  if (first !== undefined) throw new ConfigurationError(`'${String(first.path[0])}' ${first.message}.`);
}

/** Longer ones are no slip of the pen, and comparing them costs. */
const longestName = 40;

/** The known name that a misspelt one was probably meant to be: two letters of five may differ, three in all. */
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

/** How many letters must be added, left out, replaced or swapped with their neighbour. */
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
