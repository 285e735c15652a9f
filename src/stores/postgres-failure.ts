import { SocialPublishingError } from '../core/errors.js';
import { codeOf, messageOf, setupFailure, storeFailure } from './failure.js';
import type { Failures } from './sure.js';

/** Of these states of SQL (https://www.postgresql.org/docs/current/errcodes-appendix.html) the server may recover. */
const passing = new Set([
  '40001', // serialization_failure, where transactions are stricter by default
  '40P01', // deadlock_detected
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

const notAllowed = new Set(['28000', '28P01', '3D000', '42501']);

/** How the errors of `pg` and `postgres` are read, in words about this table. */
export function postgresFailures(table: string): Failures {
  return { isLost, explain: (error) => explain(error, table) };
}

/** A state of SQL, where the server itself answered. Codes of sockets, like EPIPE, look the same. */
function stateOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error ? codeOf(error) : undefined;
}

function isLost(error: unknown): boolean {
  if (error instanceof SocialPublishingError) return false;
  const state = stateOf(error);
  return state === undefined || state.startsWith('08') || passing.has(state);
}

function explain(error: unknown, table: string): Error {
  if (error instanceof SocialPublishingError) return error;
  const state = stateOf(error);
  if (state === undefined || isLost(error))
    return storeFailure(
      `Postgres did not answer: ${messageOf(error)}. What was to be written may have been written; the call may be repeated.`,
      error,
    );
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
  if (notAllowed.has(state)) return setupFailure(`Postgres does not allow it: ${messageOf(error)} (${state}).`, error);
  if (state === '25006')
    return storeFailure('This Postgres is read-only. Connect to the primary, not to a replica.', error);
  if (state === '53100') return storeFailure('The disk of Postgres is full. Make room; nothing was written.', error);
  return storeFailure(`Postgres refused: ${messageOf(error)} (${state}).`, error);
}
