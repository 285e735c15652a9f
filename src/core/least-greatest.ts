/** Returns the least of any number of values. `Math.min` overflows the stack at about 100,000 arguments. */
export function least(values: readonly number[]): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity);
}

export function greatest(values: readonly number[]): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity);
}
