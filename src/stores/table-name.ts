import { ConfigurationError } from '../core/errors.js';

/** The table of the SQL stores where none is named. */
export const defaultTable = 'social_publishing';

/**
 * Takes names that need no more than quotes. With `_due` they are the name of the index, which Postgres cuts off after
 * 63 bytes.
 * @throws ConfigurationError
 */
export function checkTable(table: string): void {
  if (typeof table !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,58}$/.test(table)) {
    throw new ConfigurationError(
      'table must be a name of at most 59 letters, digits and underscores, without a schema: search_path decides where it is.',
    );
  }
}
