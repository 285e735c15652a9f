/** What the tools keep in the store: approvals, calls that must be made once, and the retry of each post. */
import { isSameContent } from '../publisher/intents/content.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import { normalKey } from '../publisher/intents/intent-space.js';
import { change, formatOf, recordsIn, unlessForeign, type RecordStore } from '../stores/records.js';
import { OnceCalls, type HeldCall, type OnceEnd } from '../publisher/once.js';
import { canonicalJson } from '../core/json.js';
import { comparable } from '../resources/preflight/preflight-findings.js';
import { type Data, afterPause, errorResult, ok, result } from './results.js';
import { isErrorNamed } from '../core/errors.js';
import type { PlannedWrite } from './define-tool.js';
import { exceeds, type PublisherContext, type ToolContext, type ToolResult } from './tool.js';
import type { FailedRetry } from '../posts/retry-failed.js';

/** A call that the user approved. It is stored, so that a restart does not ask again. */
export interface ApprovedCall {
  readonly tool: string;
  readonly key: string;
  readonly content: Data;
}

type Approval = Pick<ApprovedCall, 'content'>;
const approvals = formatOf<Approval>('format', 1);

/** Whether the user approved this call with this content. */
export async function wasApproved(store: RecordStore, call: ApprovedCall): Promise<boolean> {
  const read = await recordsIn(store, approvals).read(approvalAt(call));
  return read !== undefined && canonicalJson(read.record.content) === canonicalJson(call.content);
}

/** Records an approval. It replaces the approval of another content. */
export async function recordApproval(store: RecordStore, call: ApprovedCall): Promise<void> {
  const next = () => ({ record: { content: call.content }, wakeAt: null });
  await change(recordsIn(store, approvals), approvalAt(call), next, { known: 'new' });
}

function approvalAt({ tool, key }: ApprovedCall): string {
  return `tools/approved/${tool}/${normalKey(key)}`;
}

// Writes that the service would execute twice, and whose result no list shows: messages and automations.

export interface WriteOnce {
  /** The name of the tool: two tools do not share keys. */
  readonly tool: string;
  readonly key: string;
  readonly body: Data;
  readonly send: () => Promise<Data>;
  /** The effect of the call. The user must approve it, unless the mode allows it. */
  readonly question: string;
  /** The effect of the finished call, in one sentence. */
  readonly done: string;
  /** The next step if the outcome of the call, or of an equal one, is unknown. */
  readonly ifUnknown: string;
}

/** Prepares a write. A key that has a call is never sent again. */
export async function planOnce(
  { store, now, mode }: ToolContext,
  write: WriteOnce,
): Promise<ToolResult | PlannedWrite> {
  const { tool, key, body, question } = write;
  const calls = new OnceCalls(store, `tools/${tool}/`, now); // Release 0.2.0 stored its marks there too.
  const earlier = await calls.earlier<Data>(key, body);
  if (earlier !== undefined) return resultOf(write, earlier);
  const held = await heldEqual(calls, write);
  if (held !== undefined) return held;
  // After a refusal, the key can be used again.
  const call = { tool, key, content: body };
  const isAsked = exceeds('publish', mode) && !(await wasApproved(store, call));
  return {
    approval: isAsked ? question : undefined,
    onApproved: () => recordApproval(store, call),
    write: async () => {
      // While the user was asked, an equal call can have been made.
      const heldSince = isAsked ? await heldEqual(calls, write) : undefined;
      return heldSince ?? resultOf(write, await calls.run(key, body, write.send));
    },
  };
}

function heldResult(summary: string, { key, createdAt }: HeldCall, { ifUnknown }: WriteOnce): ToolResult {
  return result('held', summary, { data: { key, markedAt: createdAt }, next: ifUnknown });
}

/** Finds a call with an equal body whose outcome is unknown. Models like to choose a new key after a lost reply. */
async function heldEqual(calls: OnceCalls, write: WriteOnce): Promise<ToolResult | undefined> {
  const text = comparableJson(write.body);
  const find = async () => {
    for await (const { held, body } of calls.open()) if (comparableJson(body) === text) return held;
    return undefined;
  };
  const held = await unlessForeign(find, undefined);
  return held && heldResult('An equal call under another key may have been executed. Nothing was sent.', held, write);
}

/** The same text for bodies that differ only in white space. */
function comparableJson(body: unknown): string {
  const text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? comparable(value) : value));
  return canonicalJson(JSON.parse(text));
}

function resultOf(write: WriteOnce, end: OnceEnd<Data>): ToolResult {
  const { key, done } = write;
  switch (end.kind) {
    case 'done': {
      const next = end.isStored ? undefined : 'The store did not record the result: do not repeat the call.';
      return ok(done, { key, ...end.result, replayed: end.replayed }, next);
    }
    case 'held':
      return heldResult('An earlier call with this key may have been executed. It is not repeated.', end.error, write);
    case 'refused':
      return end.isFree ? errorResult(end.error, 'call again with the same key') : stuckResult(end.error);
    case 'unknown':
      return result('held', 'The request was sent, and its outcome is unknown. It is not repeated.', {
        data: { key },
        next: write.ifUnknown,
      });
  }
}

/** Nothing was executed, but the key stays marked. */
function stuckResult(error: unknown): ToolResult {
  const again = isErrorNamed(error, 'RateLimitError')
    ? afterPause(error, 'use a new key, and another text')
    : 'To try again, ask the user for another text, and use a new key.';
  const next = `Nothing was executed, but the store did not free the key. ${again}`;
  return { ...errorResult(error), next };
}

// The one retry of each post: parallel calls with different keys must not publish the failed targets twice.

/** A retry of a post that is about to be published. */
export interface PlannedRetry {
  readonly original: Intent;
  readonly retryKey: string;
  readonly retry: FailedRetry;
}

interface RetryClaim {
  readonly retryKey: string;
  /** Of the original post: a key that was pruned and used again has another post. */
  readonly createdAt: string;
}

const retryClaims = formatOf<RetryClaim>('format', 1);

/** Claims the retry of a post. Returns the key that has claimed it; another key must not be published. */
export async function claimRetry(context: PublisherContext, planned: PlannedRetry): Promise<string> {
  const { store } = context;
  const { original, retryKey } = planned;
  const mine: RetryClaim = { retryKey, createdAt: original.createdAt };
  let holder: string | undefined;
  const next = async (claim: RetryClaim | undefined) => {
    holder = claim && (await holderOf(context, planned, claim));
    return holder === undefined ? { record: mine, wakeAt: null } : undefined;
  };
  await change(recordsIn(store, retryClaims), claimAt(original), next, { known: 'new' });
  return holder ?? retryKey;
}

/** Finds the key of another retry of the post: a claimed one, or one of another program. */
export async function earlierRetry(context: PublisherContext, planned: PlannedRetry): Promise<string | undefined> {
  const claim = await recordsIn(context.store, retryClaims).read(claimAt(planned.original));
  const holder = claim && (await holderOf(context, planned, claim.record));
  if (holder !== undefined) return normalKey(holder) === planned.retryKey ? undefined : holder;
  for await (const intent of context.publisher.list()) {
    const isLater = intent.createdAt > planned.original.createdAt && intent.key !== planned.original.key;
    if (isLater && isOpen(intent) && isSameContent(intent, planned.retry)) return intent.key;
  }
  return undefined;
}

/** `undefined`: the claim is over. */
async function holderOf(
  { publisher }: PublisherContext,
  { original, retry }: PlannedRetry,
  claim: RetryClaim,
): Promise<string | undefined> {
  if (claim.createdAt !== original.createdAt) return undefined;
  const intent = await publisher.get(claim.retryKey);
  // Without an intent, its call is about to publish it, or ended before that: the same key goes on.
  return intent === undefined || (isOpen(intent) && isSameContent(intent, retry)) ? claim.retryKey : undefined;
}

/** Whether the retry may have published something, or can still do it. */
function isOpen({ state }: Intent): boolean {
  return state !== 'rejected' && state !== 'abandoned';
}

function claimAt({ key }: Intent): string {
  return `tools/retry_failed_targets/${key}`;
}
