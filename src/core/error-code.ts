/** Returns the code of an error of the system or of a driver, of any realm, for example `ECONNREFUSED`. An empty text: none. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}
