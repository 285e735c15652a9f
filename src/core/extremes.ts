/** The least of any number of values; `Math.min` itself overflows the stack from about 100,000 arguments on. */
export function least(values: readonly number[]): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity);
}

/** The greatest of any number of values. */
export function greatest(values: readonly number[]): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity);
}
