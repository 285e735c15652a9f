/** How deep arrays and objects may lie in each other. The service's own JSON is less than ten deep. */
const maxDepth = 500;

/**
 * Parses JSON from the network, like `JSON.parse` with two differences. It drops `__proto__` keys at any depth, so a
 * later copy cannot change a prototype. It refuses JSON nested more than 500 levels deep, which could overflow the
 * stack of later code.
 *
 * @throws SyntaxError for text that isn't JSON, and for JSON that is too deep (in an engine whose `JSON.parse`
 *   overflows itself, that engine's error)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  cleanJson(value, 0);
  return value;
}

/**
 * Drops `__proto__` keys from a parsed value, in place. `depth` is how many arrays and objects it lies in.
 * @throws SyntaxError where that makes more than 500 levels
 */
export function cleanJson(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxDepth) throw new SyntaxError(`JSON is more than ${String(maxDepth)} deep`);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const item of items) cleanJson(item, depth + 1);
    return;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    if (key === '__proto__') Reflect.deleteProperty(object, key);
    else cleanJson(object[key], depth + 1);
  }
}
