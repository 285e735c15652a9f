import { codeOf } from '../../core/error-code.js';
import type { ConfigurationError } from '../../core/errors.js';
import { afterLostReply, isPassedOn, messageOf, setupFailure, storeFailure } from '../failure.js';
import type { Failures } from '../lost-replies.js';

/** The server may recover from these states (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const passing = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '40001', // serialization_failure, where transactions are stricter by default
  '40P01', // deadlock_detected
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
]);

const notAllowed = new Set(['28000', '28P01', '3D000', '42501']);

export function postgresFailures(table: string): Failures {
  return { isLost, explain: (error) => explain(error, table) };
}

/** Returns the SQLSTATE, if the server replied. Codes of sockets, such as EPIPE, have the same form. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error ? codeOf(error) : undefined;
}

/** Explains errors inside the caller's transaction. Nothing is repeated: the caller decides on the transaction. */
export function explainInTransaction(error: unknown, table: string): Error {
  const state = stateOf(error);
  if (state === '40001')
    return storeFailure(
      'The isolation level of your transaction (REPEATABLE READ or SERIALIZABLE) made the write fail, because another ' +
        `transaction wrote at the same time: ${messageOf(error)}. Roll back and repeat the whole transaction, or use READ COMMITTED.`,
      error,
    );
  if (state === '40P01')
    return storeFailure(
      `Your transaction and another one waited for each other: ${messageOf(error)}. Roll back and repeat the whole transaction.`,
      error,
    );
  if (isLost(error))
    return storeFailure(
      `The connection of your transaction was lost: ${messageOf(error)}. Postgres rolls the transaction back. Repeat all of it.`,
      error,
    );
  return explain(error, table);
}

/** A transaction is open that the store did not begin. */
export function openTransaction(): ConfigurationError {
  return setupFailure(
    'The connection of this PostgresStore has an open transaction, so nothing was written: a rollback would undo an ' +
      'acknowledged write. Pass the transaction with within, end it first, or use a separate connection for the store.',
  );
}

/** A BEGIN reached the connection between the check and the write. */
export function writtenInTransaction(): ConfigurationError {
  return setupFailure(
    'The connection of this PostgresStore began an open transaction at the same time, and the write became part of it. ' +
      'Roll it back. Pass transactions with within, or use a separate connection for the store.',
  );
}

/** The store waited for a connection that others use. */
export function noFreeConnection(waitedMs: number): ConfigurationError {
  return setupFailure(
    `This PostgresStore had no free connection for ${waitedMs / 1000} seconds, so it wrote nothing. If your own transaction holds the ` +
      'connection, pass it with within, or end it first. Otherwise, raise the number of connections (max).',
  );
}

export function noTransaction(): ConfigurationError {
  return setupFailure(
    'The client that was passed to within has no open transaction, so nothing was written. It was not begun, has ' +
      'ended, or was lost with its connection. Repeat the whole transaction.',
  );
}

function isLost(error: unknown): boolean {
  if (isPassedOn(error)) return false;
  const state = stateOf(error);
  return state === undefined || state.startsWith('08') || passing.has(state);
}

function explain(error: unknown, table: string): Error {
  if (isPassedOn(error)) return error;
  const state = stateOf(error);
  if (state === undefined || isLost(error))
    return storeFailure(`Postgres did not answer: ${messageOf(error)}. ${afterLostReply}`, error);
  if (state === '42P01')
    return setupFailure(
      `There is no table ${table} where the search_path of this connection leads. Call await store.setup() once, or run ` +
        'the SQL of PostgresStore.sql.',
      error,
    );
  if (state === '42703')
    return setupFailure(
      `The table ${table} has other columns than this version of the package needs. See PostgresStore.sql.`,
      error,
    );
  if (notAllowed.has(state))
    return setupFailure(
      `Postgres refused the statement: ${messageOf(error)} (${state}). Check the user and its rights.`,
      error,
    );
  if (state === '25006')
    return storeFailure('This Postgres is read-only. Connect to the primary, not to a replica.', error);
  if (state === '53100')
    return storeFailure('The disk of Postgres is full, so it refused this write. Free some space.', error);
  return storeFailure(`Postgres refused: ${messageOf(error)} (${state}).`, error);
}
