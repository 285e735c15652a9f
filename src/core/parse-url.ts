/**
 * Parses a URL. `undefined`: the text is not a URL.
 *
 * `URL.canParse` of Node 20 and 22 refuses URLs with letters such as ü once it was called often.
 */
export function parseUrl(text: string | URL, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns the origin and the path of a base URL, as the URL Standard writes them, without slashes at the end. */
export function baseUrlOf({ origin, pathname }: URL): string {
  return origin + withoutSlash(pathname);
}

export function withoutSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}

const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a host name always means this computer. */
export function isLoopback(name: string): boolean {
  return loopback.test(name);
}
