import { afterLostReply, isPassedOn, messageOf, setupFailure, storeFailure } from '../failure.js';
import type { Failures } from '../lost-replies.js';
import { withoutPasswords } from '../../core/redactor.js';

/** Replies of a server that is starting, failing over or busy: it did nothing, and may do it in a moment. */
const passing = new Set(['LOADING', 'TRYAGAIN', 'CLUSTERDOWN', 'MASTERDOWN', 'BUSY', 'NOREPLICAS']);

const notAllowed = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);

export const redisFailures: Failures = { isLost, explain };

/** Until EXEC of the caller, each command has the reply QUEUED. A DISCARD would undo an acknowledged write. */
export function unlessQueued(reply: unknown): unknown {
  if (reply !== 'QUEUED') return reply;
  throw setupFailure(
    'The connection of this RedisStore has an open MULTI, and the command became part of it. Run DISCARD. Use a separate client for the store.',
  );
}

/** Returns the first word of a server's error, such as `READONLY`. Errors of clients have no code. */
function replyCode(error: unknown): string | undefined {
  return error instanceof Error ? /^(?:Command failed: )?([A-Z]{2,}) /.exec(error.message)?.[1] : undefined;
}

function isLost(error: unknown): boolean {
  if (isPassedOn(error)) return false;
  const code = replyCode(error);
  return code === undefined || passing.has(code);
}

function explain(error: unknown): Error {
  if (isPassedOn(error)) return error;
  const code = replyCode(error);
  const message = withoutCommand(messageOf(error));
  const redact = (shown: string) => withoutPasswords(withoutCommand(shown));
  const failure = (text: string) => storeFailure(text, error, redact);
  if (code === undefined || passing.has(code)) return failure(`Redis did not answer: ${message}. ${afterLostReply}`);
  if (notAllowed.has(code))
    return setupFailure(`Redis refused the command: ${message}. Check the user and its ACL.`, error, redact);
  if (code === 'READONLY') return failure('This Redis is read-only. Connect to the primary, not to a replica.');
  if (code === 'OOM')
    return failure(
      'The memory of Redis is full (maxmemory), so it refused this write. Raise maxmemory, or remove data: prune still works.',
    );
  if (code === 'MISCONF') return failure('Redis cannot write to its disk, and refuses writes. Read the log of Redis.');
  return failure(`Redis refused: ${message}`);
}

/** The client of Upstash adds a prefix, and appends the whole command, which contains the item. */
function withoutCommand(message: string): string {
  return message.replace(/^Command failed: |, command was: \[[^\n]*/g, '');
}
