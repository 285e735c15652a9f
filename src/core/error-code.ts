/** Returns the code of an error of the system or of a driver, for example `ECONNREFUSED`. An empty text: it has none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}
