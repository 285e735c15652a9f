/** Returns the code of an error of the system or of a driver, of any realm, for example `ECONNREFUSED`. An empty text: none. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether a value is an error of any realm: Jest runs code in one realm, and Node's `fetch` has errors of another. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  const isTagged = /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
  return isTagged && typeof (value as { message?: unknown }).message === 'string';
}

/** Returns whether Next.js threw this error instead of sending a request. Next.js must receive the same object. */
export function isInPlaceOfRequest(error: unknown): boolean {
  const { digest } = Object(error) as { readonly digest?: unknown };
  return digest === 'DYNAMIC_SERVER_USAGE' || digest === 'HANGING_PROMISE_REJECTION';
}
