/** How deep arrays and objects may lie in each other. The service's own JSON is less than ten deep. */
const maxDepth = 500;

/**
 * Parses JSON of the network. It is `JSON.parse`, with two differences: `__proto__` keys are dropped at any depth, so
 * that none can reach a prototype when the value is copied later; and JSON that is more than 500 deep is refused, which
 * would overflow the stack of whatever walks over it.
 *
 * @throws SyntaxError for text that is no JSON, and for JSON that is too deep (in an engine whose `JSON.parse` overflows
 * itself, that engine's error)
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
