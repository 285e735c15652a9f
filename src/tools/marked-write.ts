/**
 * Writes that the service would execute twice, and whose result cannot be searched for: messages and automations. A mark in
 * the store precedes the request. A mark without a result is never sent again.
 */
import { IntentConflictError, isErrorNamed } from '../core/errors.js';
import { outcomeOf } from '../core/outcome.js';
import { listedWaits, retrying } from '../core/retrying.js';
import { defaultRuntime } from '../core/runtime.js';
import { formsOf, normalKey } from '../publisher/intent-space.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { MarkStore } from './marks.js';
import { recordApproval, wasApproved } from './approvals.js';
import { afterPause, errorResult } from './error-result.js';
import { ok, result, type Data } from './results.js';
import type { PlannedWrite } from './define-tool.js';
import type { ToolResult } from './tool.js';

export interface MarkedWrite {
  readonly store: MarkStore;
  /** The name of the tool: two tools do not share keys. */
  readonly tool: string;
  readonly key: string;
  readonly body: Data;
  readonly send: () => Promise<Data>;
  /** The effect of the call, if the user must approve it. */
  readonly approval: string | undefined;
  /** The effect of the finished call, in one sentence. */
  readonly done: string;
  readonly now: () => number;
}

interface Mark {
  readonly format: 1;
  /** Random, so that equal marks of two processes differ. */
  readonly id: string;
  readonly at: number;
  readonly body: Data;
  /** Missing: its outcome is unknown. */
  readonly result?: Data | undefined;
}

const hint = 'Check in the account whether it arrived, and ask the user. Do not send it again under a new key.';

/** Prepares a write. A key that is marked is never sent again. */
export async function planMarked(marked: MarkedWrite): Promise<ToolResult | PlannedWrite> {
  const before = await readMark(marked);
  if (before !== undefined) return resultOfMark(marked, before);
  const { store, approval } = marked;
  // After a refusal, the key can be used again.
  const call = { tool: marked.tool, key: marked.key, content: marked.body };
  const isAsked = approval !== undefined && !(await wasApproved(store, call));
  return {
    approval: isAsked ? approval : undefined,
    onApproved: () => recordApproval(store, call),
    write: () => writeMarked(marked),
  };
}

function storedAt({ tool }: Pick<MarkedWrite, 'tool'>, key: string): string {
  return `tools/${tool}/${key}`;
}

async function readMark(marked: MarkedWrite): Promise<Mark | undefined> {
  for (const form of formsOf(marked.key)) {
    const item = await marked.store.get(storedAt(marked, form));
    // Only `writeMarked` writes items with this prefix.
    if (item !== undefined) return JSON.parse(item.data) as Mark;
  }
  return undefined;
}

function resultOfMark({ key, body, done }: MarkedWrite, mark: Mark): ToolResult {
  if (JSON.stringify(mark.body) !== JSON.stringify(body)) return errorResult(new IntentConflictError(key));
  if (mark.result !== undefined) return ok(done, { key, ...mark.result, replayed: true });
  const data = { key, markedAt: new Date(mark.at).toISOString() };
  return result('held', 'An earlier call with this key may have been executed. It is not repeated.', {
    data,
    next: hint,
  });
}

async function writeMarked(marked: MarkedWrite): Promise<ToolResult> {
  const { store, body, key, done, now } = marked;
  const mark: Mark = { format: 1, id: defaultRuntime.newId(), at: now(), body };
  const at = storedAt(marked, normalKey(key));
  const version = await insertItem(store, at, JSON.stringify(mark), null);
  if (version === undefined) {
    // Another call was faster.
    const other = await readMark(marked);
    return other === undefined ? writeMarked(marked) : resultOfMark(marked, other);
  }
  const item = { key: at, version };
  let sent: Data;
  try {
    sent = await marked.send();
  } catch (error) {
    if (outcomeOf(error) !== 'rejected' && outcomeOf(error) !== 'not_sent') return unknownResult(key);
    const isFree = await freeKey(store, item);
    return isFree ? refusedResult(error) : stuckResult(error);
  }
  const isRecorded = await swapItem(store, item, JSON.stringify({ ...mark, result: sent }), null).catch(
    () => undefined,
  );
  const next = isRecorded === undefined ? 'The store did not record the result: do not repeat the call.' : undefined;
  return ok(done, { key, ...sent, replayed: false }, next);
}

function unknownResult(key: string): ToolResult {
  const summary = 'The request was sent, and its outcome is unknown. It is not repeated.';
  return result('held', summary, { data: { key }, next: hint });
}

/** Removes the mark, so that the key can be used again. */
async function freeKey(store: MarkStore, item: { readonly key: string; readonly version: number }): Promise<boolean> {
  try {
    await retrying(() => swapItem(store, item, null, null), { schedule: listedWaits([50, 250]) });
    return true;
  } catch {
    return false;
  }
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
