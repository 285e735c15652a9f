/** How deep arrays and objects may lie in each other. The service's own JSON is less than ten deep. */
const maxDepth = 500;

/**
 * Parses JSON of the network. It is `JSON.parse`, with two differences: `__proto__` keys are dropped at any depth, so
 * that none can reach a prototype when the value is copied later; and JSON that is more than 500 deep is refused, which
 * would overflow the stack of whatever walks over it.
 *
 * @throws SyntaxError for text that is no JSON, and for JSON that is too deep
 */
export function parseJson(text: string): unknown {
  // Before parsing: JSON.parse itself overflows in some engines.
  if (isTooDeep(text)) throw new SyntaxError(`JSON is more than ${String(maxDepth)} deep`);
  const value: unknown = JSON.parse(text);
  // A key can be written with escapes, of ASCII characters that nobody has a need to escape.
  if (text.includes('__proto__') || /\\u00[5-7]/.test(text)) dropProtoKeys(value);
  return value;
}

function isTooDeep(text: string): boolean {
  return !hasFewer(text, maxDepth) && depthPasses(text, maxDepth);
}

/** Whether a text has at most `limit` opening brackets, wherever they stand. The search is native, so that it costs next to nothing. */
function hasFewer(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return false;
    }
  }
  return true;
}

function depthPasses(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > limit) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x22: // a string: on to its end
        at = endOfString(text, at);
        break;
    }
  }
  return false;
}

/** The index of the quote that ends the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length; // Cut off: JSON.parse will say so.
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

function dropProtoKeys(root: unknown): void {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) Reflect.deleteProperty(value, '__proto__');
    for (const inner of Object.values(value)) left.push(inner);
  }
}
