import { codeOf, isError } from '../../core/error-code.js';
import type { ConfigurationError } from '../../core/errors.js';
import { afterLostReply, isPassedOn, messageOf, setupFailure, storeFailure } from '../failure.js';
import type { Failures } from '../lost-replies.js';

/** The primary result codes of SQLite that this file reads (https://www.sqlite.org/rescode.html), for node:sqlite. */
const codeNames: Readonly<Record<number, string>> = {
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
};

/** An extended code of `BUSY`. */
const busySnapshot = 517;

/** Another connection has the lock, or a transaction is open on this one. Nothing was executed. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === 'BUSY' || code === 'LOCKED' || isInTransaction(error) || isReconnecting(error);
}

/** BEGIN failed, because a transaction is open on the connection, or on the only connection of a libSQL client. */
export function isInTransaction(error: unknown): boolean {
  return (
    codeOf(error) === 'TRANSACTION_ACTIVE' ||
    (isError(error) && error.message.includes('cannot start a transaction within a transaction'))
  );
}

/** Another call of the store replaced the connections of libSQL before this one began. */
function isReconnecting(error: unknown): boolean {
  return codeOf(error) === 'CLIENT_CLOSED' && (error as Error).message.includes('in flight');
}

/** The connection of libSQL has a statement that never ended, or sees an old state of the file. Only a new one commits. */
export function needsReconnect(error: unknown): boolean {
  if (resultCode(error) !== 'BUSY') return false;
  const { message, rawCode } = error as Error & { rawCode?: unknown };
  return rawCode === busySnapshot || /statements in progress|SNAPSHOT/.test(message);
}

/** Whether SQLite itself replied. Otherwise the reply was lost on its way, and a write may have been executed. */
export function isReply(error: unknown): boolean {
  if (isPassedOn(error) || isBusy(error) || resultCode(error) !== undefined) return true;
  return isError(error) && /^(SQL|CLIENT_|TRANSACTION_)|SQLITE_/.test(`${codeOf(error)} ${error.message}`);
}

export function noTransaction(): ConfigurationError {
  return setupFailure(
    'The handle that was passed to within has no open transaction, so nothing was written. Run BEGIN on it first.',
  );
}

/** The values that messages contain, and whether the reply to a write can be lost on its way. */
interface FailureContext {
  readonly table: string;
  readonly busyTimeoutMs?: number | undefined;
  readonly file?: string | undefined;
  readonly losesReplies?: boolean | undefined;
}

export function sqliteFailures(context: FailureContext): Failures {
  const isLost = (error: unknown) => context.losesReplies === true && !isReply(error);
  return { isLost, explain: (error) => explain(error, context, isLost(error)) };
}

/** Turns an error of SQLite into an error for the caller. */
function explain(error: unknown, { table, busyTimeoutMs, file }: FailureContext, isLost: boolean): Error {
  if (isPassedOn(error)) return error;
  if (isInTransaction(error))
    return setupFailure(
      `Your open transaction on the handle of this SqliteStore did not end within ${busyTimeoutMs ?? 0} ms (busyTimeoutMs), so nothing was ` +
        'written: a rollback would undo an acknowledged write. End the transaction sooner, or pass it with within.',
      error,
    );
  if (isError(error) && /no such table/.test(error.message))
    return setupFailure(`There is no table ${table} in this SQLite database. Call await store.setup() once.`, error);
  if (isLost) return storeFailure(`The SQLite database did not answer: ${messageOf(error)}. ${afterLostReply}`, error);
  switch (resultCode(error)) {
    case 'BUSY':
    case 'LOCKED':
      return storeFailure(
        busyTimeoutMs === undefined
          ? 'The SQLite database is locked by another writer. Begin the transaction with BEGIN IMMEDIATE, and try again.'
          : `The SQLite file stayed locked by another writer for ${busyTimeoutMs} ms (busyTimeoutMs), so it refused this write. Repeat the call, or raise busyTimeoutMs.`,
        error,
      );
    case 'READONLY':
      return storeFailure('The SQLite file is read-only. Let this process write to it and to its folder.', error);
    case 'FULL':
      return storeFailure('The disk of the SQLite file is full, so it refused this write. Free some space.', error);
    case 'IOERR':
      return storeFailure(`The SQLite file could not be read or written: ${messageOf(error)}. Check its disk.`, error);
    case 'CANTOPEN':
      return setupFailure(
        `The SQLite file${file === undefined ? '' : ` '${file}'`} could not be opened. Its folder must exist, and this process must have the right to write to it.`,
        error,
      );
    case 'NOTADB':
      return setupFailure('The file is not a SQLite database, or it is encrypted. Pass another path.', error);
    default:
      return codeOf(error) === 'ERR_INVALID_STATE'
        ? storeFailure('The database of this SqliteStore was closed. Close it after the last call.', error)
        : storeFailure(`SQLite failed: ${messageOf(error)}.`, error);
  }
}

/**
 * The name of the primary result code. node:sqlite has a number, whose higher bits are details. D1 has the name at the end
 * of the message, and all others have it in `code`.
 */
function resultCode(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === 'number') return codeNames[errcode & 0xff] ?? 'ERROR';
  return (/^SQLITE_([A-Z]+)/.exec(codeOf(error)) ?? /: SQLITE_([A-Z]+)/.exec(error.message))?.[1];
}
