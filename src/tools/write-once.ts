/** Writes that the service would execute twice, and whose result no list shows: messages and automations. */
import { isErrorNamed } from '../core/errors.js';
import { OnceCalls, OnceHeldError, type OnceEnd } from '../publisher/once.js';
import { recordApproval, wasApproved } from './approvals.js';
import type { PlannedWrite } from './define-tool.js';
import { afterPause, errorResult } from './error-result.js';
import { ok, result, type Data } from './results.js';
import type { ToolContext } from './tool-context.js';
import type { ToolResult } from './tool.js';

export interface WriteOnce {
  /** The name of the tool: two tools do not share keys. */
  readonly tool: string;
  readonly key: string;
  readonly body: Data;
  readonly send: () => Promise<Data>;
  /** The effect of the call, if the user must approve it. */
  readonly approval: string | undefined;
  /** The effect of the finished call, in one sentence. */
  readonly done: string;
}

const hint = 'Check in the account whether it arrived, and ask the user. Do not send it again under a new key.';

/** Prepares a write. A key that has a call is never sent again. */
export async function planOnce({ store, now }: ToolContext, write: WriteOnce): Promise<ToolResult | PlannedWrite> {
  const { tool, key, body, approval } = write;
  // Release 0.2.0 stored its marks under the same keys.
  const calls = new OnceCalls(store, `tools/${tool}/`, now);
  const earlier = await resultOrHeld(() => calls.replayed(key, body));
  if (earlier !== undefined) return 'status' in earlier ? earlier : replayedResult(write, earlier.result);
  // After a refusal, the key can be used again.
  const call = { tool, key, content: body };
  return {
    approval: approval !== undefined && !(await wasApproved(store, call)) ? approval : undefined,
    onApproved: () => recordApproval(store, call),
    write: async () => {
      const end = await resultOrHeld(() => calls.run(key, body, write.send));
      return 'status' in end ? end : resultOf(write, end);
    },
  };
}

/** Another call with the key may have been executed. */
async function resultOrHeld<T>(work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OnceHeldError)) throw error;
    const { key, createdAt } = error;
    return result('held', 'An earlier call with this key may have been executed. It is not repeated.', {
      data: { key, markedAt: createdAt },
      next: hint,
    });
  }
}

function resultOf(write: WriteOnce, end: OnceEnd<Data>): ToolResult {
  const { key, done } = write;
  switch (end.kind) {
    case 'done': {
      if (end.replayed) return replayedResult(write, end.result);
      const next = end.isStored ? undefined : 'The store did not record the result: do not repeat the call.';
      return ok(done, { key, ...end.result, replayed: false }, next);
    }
    case 'refused':
      return end.isFree ? refusedResult(end.error) : stuckResult(end.error);
    case 'unknown':
      return result('held', 'The request was sent, and its outcome is unknown. It is not repeated.', {
        data: { key },
        next: hint,
      });
  }
}

/** Each tool stores an object as its result. */
function replayedResult({ key, done }: WriteOnce, stored: unknown): ToolResult {
  return ok(done, { key, ...(stored as Data), replayed: true });
}

/** Nothing was executed, but the key stays marked. */
function stuckResult(error: unknown): ToolResult {
  const again = isErrorNamed(error, 'RateLimitError')
    ? afterPause(error, 'use a new key')
    : 'To try again, use a new key.';
  const next = `Nothing was executed, but the store did not free the key. ${again}`;
  return { ...errorResult(error), next };
}

/** Nothing was executed, and the key can be used again. */
function refusedResult(error: unknown): ToolResult {
  const refused = errorResult(error);
  const again = 'call again with the same key';
  if (isErrorNamed(error, 'RateLimitError')) return { ...refused, next: afterPause(error, again) };
  if (isErrorNamed(error, 'AuthenticationError') || isErrorNamed(error, 'PermissionError')) return refused;
  if (refused.status === 'failed') return { ...refused, next: 'Nothing was executed: call again with the same key.' };
  return refused;
}
