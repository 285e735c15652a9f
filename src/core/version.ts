/** A test compares it with `package.json`, which no bundle should contain. */
export const version = '0.2.0';
