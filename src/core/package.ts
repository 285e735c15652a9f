/** A test compares it with `package.json`, which no bundle should contain. */
export const version = '0.3.0';

// An app can load several copies of this package: its ES modules beside its CommonJS modules, or two versions. What follows
// is what the copies must agree on, so names and shapes never change.

/** Every error of this package has it. `instanceof` recognises only errors of one copy. */
export const brand = Symbol.for('social-publishing.error');

/** Returns a value that all copies in this process share. The first copy that asks makes it. */
export function sharedByCopies<T>(name: string, make: () => T): T {
  const key = Symbol.for(`social-publishing.${name}`);
  // Each name has one type. A frozen global has no value, so that each copy has its own.
  const holder = globalThis as { [key: symbol]: T | undefined };
  const known = holder[key];
  if (known !== undefined) return known;
  const made = make();
  if (Object.isExtensible(globalThis)) Object.defineProperty(globalThis, key, { value: made });
  return made;
}
