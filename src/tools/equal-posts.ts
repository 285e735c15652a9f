/** Posts that a new key would publish again. Models like to choose a new key after a lost reply, or after a partial failure. */
import { withoutUndefined } from '../core/json.js';
import { throwIfAborted } from '../core/flow/abort.js';
import { ForeignDataError } from '../core/errors.js';
import { dayMs } from '../model/instant.js';
import { requestedTargets, targetResults } from '../model/targets.js';
import type { CreatePostBody, ListPostsQuery, Post } from '../posts/post-shapes.js';
import { requestOf, scheduledTime } from '../posts/read-create.js';
import { isSameContent } from '../publisher/intents/content.js';
import { normalKey } from '../publisher/intents/intent-space.js';
import type { Intent, IntentState } from '../publisher/intents/intent-record.js';
import { comparable } from '../resources/preflight/preflight-findings.js';
import type { IntegrationDetail } from '../resources/integrations.js';
import type { FailedRetry } from '../posts/retry-failed.js';
import { longestPage } from '../schema/fields.js';
import { compareKeys } from '../stores/key-order.js';
import { change, formatOf, recordsIn } from '../stores/records.js';
import { accountLabel, isVisible } from './account-tools.js';
import { createdPost } from './read-post-tools.js';
import { result } from './results.js';
import { intentView, postView } from './post-results.js';
import type { CallContext, PublisherContext, ToolContext, ToolResult, ToolsPublisher } from './tool.js';

/** The content of a create. */
export type PlannedContent = Pick<Intent, 'body' | 'extraBody'>;

/** A create that is checked, and was not sent. */
export interface PlannedCreate extends PlannedContent {
  /** The accounts that were read. For a post that exists, none. */
  readonly accounts: readonly IntegrationDetail[];
}

/** Returns the result if an equal post under another key may have been sent, or is about to be sent again. */
export async function heldEqual(
  context: PublisherContext,
  key: string,
  planned: PlannedCreate,
): Promise<ToolResult | undefined> {
  const { intents } = await readOpen(context.publisher, ['in_doubt', 'sending', 'ready']);
  const held = intents.find(
    (intent) =>
      normalKey(intent.key) !== normalKey(key) &&
      (intent.state !== 'ready' || intent.attempts > 0) &&
      (isSameContent(intent, planned) || isAlike(intent.body, planned.body)),
  );
  return held && heldResult(held, context);
}

/** Reads the intents in states of open intents, in the order of keys. It reads no finished intent. */
export async function readOpen(publisher: ToolsPublisher, states: readonly IntentState[]) {
  const intents: Intent[] = [];
  let unreadable: string | undefined;
  for (const state of states) {
    try {
      for await (const intent of publisher.list({ state })) intents.push(intent);
    } catch (error) {
      // The list has yielded all other intents.
      if (!(error instanceof ForeignDataError)) throw error;
      unreadable = error.message;
    }
  }
  return { intents: intents.sort((a, b) => compareKeys(a.key, b.key)), unreadable };
}

interface SentPost {
  readonly content?: string | undefined;
  readonly platforms?: readonly { readonly accountId: string }[] | undefined;
}

/** Whether both posts have the same text, whatever their white space, and one of the accounts is the same. */
function isAlike(one: SentPost, other: SentPost): boolean {
  const text = comparable(one.content);
  if (text === '' || text !== comparable(other.content)) return false;
  const accountIds = accountIdsOf(other);
  return accountIdsOf(one).some((id) => accountIds.includes(id));
}

function accountIdsOf({ platforms = [] }: SentPost): string[] {
  return platforms.map(({ accountId }) => accountId);
}

function heldResult(intent: Intent, context: ToolContext): ToolResult {
  const isReady = intent.state === 'ready';
  const summary = `An equal post under another key ${isReady ? 'is sent again soon' : 'may have been sent'}. Nothing was sent.`;
  if (!isVisible(context, requestOf(intent)))
    return result('held', summary, { next: 'Ask the user: only their decision on that post allows an equal one.' });
  return result('held', summary, {
    data: intentView({ ...intent, replayed: true }, context.timeZone),
    next:
      'Call create_post with the key of that post, and follow its result. Only the decision of the user on that post allows an ' +
      'equal one.',
  });
}

/** A post of yesterday may still be repaired. An equal post of last week is another one. */
const repairMs = 2 * dayMs;
/** A list that does not answer must not hold up the create. */
const longestReadMs = 5_000;

/**
 * Returns the result if an equal post was published in part. It reads the list, which has the result of each target, and the
 * posts of other programs.
 */
export async function publishedInPart(
  context: CallContext<PublisherContext>,
  planned: PlannedCreate,
): Promise<ToolResult | undefined> {
  const { client, now, signal } = context;
  const { body } = planned;
  const at = scheduledTime(requestOf(planned)) ?? now();
  if (body.saveAsDraft === true || at - repairMs > now()) return undefined;
  const after = new Date(at - repairMs);
  const first = async (bound: ListPostsQuery): Promise<Post | undefined> => {
    const query: ListPostsQuery = { status: 'partial', limit: longestPage, ...bound };
    for await (const post of client.posts.list(query, { signal, totalTimeoutMs: longestReadMs })) {
      if (accountsWith(post, body).length > 0) return post;
    }
    return undefined;
  };
  const unlessUnread = () => {
    throwIfAborted(signal);
    return undefined; // Without the list, nothing shows that the post is a repetition.
  };
  const found = await Promise.all(
    [{ createdAfter: after }, { scheduledAfter: after }].map((bound) => first(bound).catch(unlessUnread)),
  );
  const post = found.find((one) => one !== undefined);
  return post && partialResult(context, planned, post);
}

/** The targets that a listed post was created with. */
export function targetsOf(post: Post) {
  return [...(requestedTargets(post)?.values() ?? [])].flat();
}

/** The accounts of a new post that did not fail in an equal listed post. */
function accountsWith(post: Post, body: CreatePostBody): string[] {
  const platforms = targetsOf(post);
  if (!isAlike({ content: post.content, platforms }, body)) return [];
  const failed = new Set(targetResults(post).failed.map(({ accountId }) => accountId));
  const had = new Set(accountIdsOf({ platforms }).filter((id) => !failed.has(id)));
  return accountIdsOf(body).filter((id) => had.has(id));
}

async function partialResult(
  context: PublisherContext,
  { body, accounts }: PlannedCreate,
  post: Post,
): Promise<ToolResult> {
  const accountIds = accountsWith(post, body);
  const isShown = isVisible(context, post.rawRequestBody);
  const created = isShown ? await createdPost(context, post.postId) : undefined;
  const isRetried = created !== undefined && targetResults(post).failed.length > 0;
  const rest = accountIdsOf(body).filter((id) => !accountIds.includes(id));
  const first = isRetried
    ? `To publish it to the targets that failed, call retry_failed_targets with key ${String(created['key'])}. `
    : rest.length > 0
      ? `For the other accounts, call create_post with only these accountIds: ${rest.join(', ')}. `
      : '';
  const names = accounts.filter(({ id }) => accountIds.includes(id)).map(accountLabel);
  return result('held', `An equal post is already published to ${names.join(', ')}. Nothing was sent.`, {
    data: isShown ? withoutUndefined({ ...created, ...postView(post, context.timeZone) }) : undefined,
    next: `${first}If the user wants it once more on the same account, they must ask for another text.`,
  });
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

/** Returns the key that has the retry of a post, claimed or of another program. If none has it, the planned one. */
export async function retryHolder(context: PublisherContext, planned: PlannedRetry): Promise<string> {
  const claim = await recordsIn(context.store, retryClaims).read(claimAt(planned.original));
  const holder = claim && (await holderOf(context, planned, claim.record));
  if (holder !== undefined) return holder;
  for await (const intent of context.publisher.list()) {
    const isLater = intent.createdAt > planned.original.createdAt && intent.key !== planned.original.key;
    if (isLater && isOpen(intent) && isSameContent(intent, planned.retry)) return intent.key;
  }
  return planned.retryKey;
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
