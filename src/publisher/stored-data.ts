/** The items of a publisher: their text is JSON with the number of its format, and open ones have a wake time. */
import { ForeignDataError } from '../core/errors.js';

/** This version reads this format and older ones. */
const latestFormat = 2;

/** Makes the text of an item, with the number of its format. */
export function encode(value: object, format = 1): string {
  return JSON.stringify({ format, ...value });
}

/**
 * Reads the text of an item.
 * @throws ConfigurationError a newer version wrote it, or it is not an item of the publisher
 */
export function decode(storedAt: string, data: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    value = undefined;
  }
  const found = typeof value === 'object' && value !== null ? (value as { format?: unknown }).format : undefined;
  if (typeof found !== 'number') {
    throw new ForeignDataError(
      `The store has an item '${storedAt}' that no publisher wrote. It was left as it is. ` +
        'Use a separate store, table or prefix for the publisher.',
    );
  }
  if (found > latestFormat) {
    throw new ForeignDataError(
      `A newer version of social-publishing wrote '${storedAt}' (format ${String(found)}; this version reads up to ` +
        `${String(latestFormat)}). It was left as it is. Upgrade this process to the same version.`,
    );
  }
  // `encode` wrote it: an object with a format.
  return value as Record<string, unknown>;
}

/** Returns the result of a read, or the fallback if a newer version, or another program, wrote the item. */
export async function unlessForeign<Read>(read: () => Read | Promise<Read>, fallback: Read): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForeignDataError) return fallback;
    throw error;
  }
}
