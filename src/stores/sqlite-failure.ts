import { SocialPublishingError } from '../core/errors.js';
import { codeOf, messageOf, setupFailure, storeFailure } from './failure.js';

// The primary result codes of SQLite (https://www.sqlite.org/rescode.html); the higher bits of a code tell details.
const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** Somebody else holds the lock, or a transaction is open on this connection. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === busy || code === locked || isInTransaction(error);
}

function isInTransaction(error: unknown): boolean {
  return error instanceof Error && error.message.includes('cannot start a transaction within a transaction');
}

/** An error in plain words, from whatever SQLite or the store itself threw. */
export function sqliteFailure(
  error: unknown,
  { table, busyTimeoutMs, file }: { table: string; busyTimeoutMs?: number; file?: string | undefined },
): SocialPublishingError {
  if (error instanceof SocialPublishingError) return error;
  if (isInTransaction(error))
    return storeFailure(
      `A transaction stayed open on the DatabaseSync for ${busyTimeoutMs ?? 0} ms, and the store's write was not to become ` +
        'part of it. Commit it sooner, or hand it over with within.',
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
      return setupFailure('The file is no SQLite database, or it is encrypted.', error);
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
