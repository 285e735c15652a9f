/** Returns the code of an error of the system or of a driver, of any realm, for example `ECONNREFUSED`. An empty text: none. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/**
 * Whether Next.js threw this in place of a request: its `fetch` sends none while it builds a page. It must see the error itself, so
 * no other error may replace it.
 */
export function isInPlaceOfRequest(error: unknown): boolean {
  const { digest } = Object(error) as { readonly digest?: unknown };
  return typeof digest === 'string' && /^(?:DYNAMIC_SERVER|HANGING_PROMISE)_/.test(digest);
}
