import { codeOf } from '../../core/error-code.js';
import type { ConfigurationError } from '../../core/errors.js';
import { afterLostReply, isPassedOn, messageOf, setupFailure, storeFailure } from '../failure.js';

// The primary result codes of SQLite (https://www.sqlite.org/rescode.html); the higher bits of a code are details.
const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;
/** Extended code of `busy`. */
const busySnapshot = 517;

/** Names of the codes above in the errors of bun:sqlite, better-sqlite3, libSQL and D1. */
const codes: Readonly<Record<string, number>> = {
  BUSY: busy,
  LOCKED: locked,
  READONLY: readOnly,
  IOERR: ioError,
  FULL: full,
  CANTOPEN: cannotOpen,
  NOTADB: notADatabase,
};

/** Another connection has the lock, or a transaction is open on this one. Nothing was executed. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === busy || code === locked || isInTransaction(error) || isReconnecting(error);
}

/** BEGIN failed, because a transaction is open on the connection, or on the only connection of a libSQL client. */
export function isInTransaction(error: unknown): boolean {
  return (
    codeOf(error) === 'TRANSACTION_ACTIVE' ||
    (error instanceof Error && error.message.includes('cannot start a transaction within a transaction'))
  );
}

/** Another call of the store replaced the connections of libSQL before this one began. */
function isReconnecting(error: unknown): boolean {
  return codeOf(error) === 'CLIENT_CLOSED' && (error as Error).message.includes('in flight');
}

/** The connection of libSQL has a statement that never ended, or sees an old state of the file. Only a new one commits. */
export function needsReconnect(error: unknown): boolean {
  if (resultCode(error) !== busy) return false;
  const { message, rawCode } = error as Error & { rawCode?: unknown };
  return rawCode === busySnapshot || /statements in progress|SNAPSHOT/.test(message);
}

/** Whether SQLite itself replied. Otherwise the reply was lost on its way, and a write may have been executed. */
export function isReply(error: unknown): boolean {
  if (isPassedOn(error) || isBusy(error) || resultCode(error) !== undefined) return true;
  return error instanceof Error && /^(SQL|CLIENT_|TRANSACTION_)|SQLITE_/.test(`${codeOf(error)} ${error.message}`);
}

export function noTransaction(): ConfigurationError {
  return setupFailure(
    'The handle that was passed to within has no open transaction, so nothing was written. Run BEGIN on it first, or omit within.',
  );
}

/** The values that messages contain. */
interface FailureContext {
  readonly table: string;
  readonly busyTimeoutMs?: number | undefined;
  readonly file?: string | undefined;
  readonly isLost?: ((error: unknown) => boolean) | undefined;
}

/** Turns an error of SQLite into an error for the caller. */
export function sqliteFailure(error: unknown, { table, busyTimeoutMs, file, isLost }: FailureContext): Error {
  if (isPassedOn(error)) return error;
  if (isInTransaction(error))
    return setupFailure(
      `Your open transaction on the handle of this SqliteStore did not end within ${busyTimeoutMs ?? 0} ms (busyTimeoutMs), so nothing was ` +
        'written: a rollback would undo an acknowledged write. End the transaction sooner, or pass it with within.',
      error,
    );
  if (error instanceof Error && /no such table/.test(error.message))
    return setupFailure(`There is no table ${table} in this SQLite database. Call await store.setup() once.`, error);
  if (isLost?.(error) === true)
    return storeFailure(`The SQLite database did not answer: ${messageOf(error)}. ${afterLostReply}`, error);
  switch (resultCode(error)) {
    case busy:
    case locked:
      return storeFailure(
        busyTimeoutMs === undefined
          ? 'The SQLite database is locked by another writer. Begin the transaction with BEGIN IMMEDIATE, and try again.'
          : `The SQLite file stayed locked by another writer for ${busyTimeoutMs} ms (busyTimeoutMs). Nothing was written. Repeat the call, or raise busyTimeoutMs.`,
        error,
      );
    case readOnly:
      return storeFailure('The SQLite file is read-only. Let this process write to it and to its folder.', error);
    case full:
      return storeFailure('The disk of the SQLite file is full. Nothing was written. Free some space.', error);
    case ioError:
      return storeFailure(`The SQLite file could not be read or written: ${messageOf(error)}. Check its disk.`, error);
    case cannotOpen:
      return setupFailure(
        `The SQLite file${file === undefined ? '' : ` '${file}'`} could not be opened. Its folder must exist, and this process must have the right to write to it.`,
        error,
      );
    case notADatabase:
      return setupFailure('The file is not a SQLite database, or it is encrypted. Pass another path.', error);
    default:
      return codeOf(error) === 'ERR_INVALID_STATE'
        ? storeFailure('The database of this SqliteStore was closed. Close it after the last call.', error)
        : storeFailure(`SQLite failed: ${messageOf(error)}.`, error);
  }
}

/** The primary result code: as a number (node:sqlite), as a name in `code`, or as a name at the end of the message (D1). */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  const [, name = ''] = /^SQLITE_([A-Z]+)/.exec(codeOf(error)) ?? /: SQLITE_([A-Z]+)/.exec(error.message) ?? [];
  return codes[name];
}
