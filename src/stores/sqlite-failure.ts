import { SocialPublishingError, type ConfigurationError } from '../core/errors.js';
import { codeOf, messageOf, setupFailure, storeFailure } from './failure.js';

// The primary result codes of SQLite (https://www.sqlite.org/rescode.html); the higher bits of a code tell details.
const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** Another connection has the lock, or a transaction is open on this one. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === busy || code === locked || isInTransaction(error);
}

/** BEGIN failed, because a transaction is open on the connection. */
export function isInTransaction(error: unknown): boolean {
  return error instanceof Error && error.message.includes('cannot start a transaction within a transaction');
}

/** The handle that was passed to `within` has no open transaction. */
export function noTransaction(): ConfigurationError {
  return setupFailure(
    'The DatabaseSync that was passed to within has no open transaction, so nothing was written. Run BEGIN on it first, or omit within.',
  );
}

/** Turns an error of SQLite into an error for the caller. */
export function sqliteFailure(
  error: unknown,
  { table, busyTimeoutMs, file }: { table: string; busyTimeoutMs?: number; file?: string | undefined },
): SocialPublishingError {
  if (error instanceof SocialPublishingError) return error;
  if (isInTransaction(error))
    return setupFailure(
      `Your open transaction on the DatabaseSync did not end within ${busyTimeoutMs ?? 0} ms (busyTimeoutMs), so nothing was ` +
        'written: a rollback would undo an acknowledged write. End the transaction sooner, or pass it with within.',
      error,
    );
  if (error instanceof Error && /no such table/.test(error.message))
    return setupFailure(`There is no table ${table} in this SQLite database. Call await store.setup() once.`, error);
  switch (resultCode(error)) {
    case busy:
    case locked:
      return storeFailure(
        busyTimeoutMs === undefined
          ? 'The SQLite database is locked by another writer. Begin the transaction with BEGIN IMMEDIATE, and try again.'
          : `The SQLite file stayed locked by another writer for ${busyTimeoutMs} ms (busyTimeoutMs). Nothing was written.`,
        error,
      );
    case readOnly:
      return storeFailure('The SQLite file is read-only. Let this process write to it and to its folder.', error);
    case full:
      return storeFailure('The disk of the SQLite file is full. Make room; nothing was written.', error);
    case ioError:
      return storeFailure(`The SQLite file could not be read or written: ${messageOf(error)}.`, error);
    case cannotOpen:
      return setupFailure(
        `The SQLite file${file === undefined ? '' : ` '${file}'`} could not be opened. Its folder must be there, and this process must be allowed to write in it.`,
        error,
      );
    case notADatabase:
      return setupFailure('The file is not a SQLite database, or it is encrypted.', error);
    default:
      return codeOf(error) === 'ERR_INVALID_STATE'
        ? storeFailure('The DatabaseSync of the store was closed.', error)
        : storeFailure(`SQLite failed: ${messageOf(error)}.`, error);
  }
}

function resultCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error ? (error as { errcode?: unknown }).errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
