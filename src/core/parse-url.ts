/**
 * Parses a URL. `undefined`: the text is not a URL.
 *
 * `URL.canParse` of Node 20 and 22 refuses URLs with letters such as ü once it was called often.
 */
export function parseUrl(text: string | URL): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
