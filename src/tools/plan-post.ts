import * as z from 'zod/mini';
import { InvalidRequestError, isErrorNamed } from '../core/errors.js';
import { issueAt } from '../core/options.js';
import { instantOf } from '../model/instant.js';
import { isSameContent, type Content } from '../publisher/content.js';
import type { JsonObject } from '../publisher/intent-record.js';
import type { Intent } from '../publisher/intent-view.js';
import type { Integration } from '../resources/integrations.js';
import type { CreatePostBody, PostTargetInput } from '../resources/post-shapes.js';
import { targetOf } from '../resources/retry-failed.js';
import * as s from '../schema/fields.js';
import { accountLabel } from './account-view.js';
import { UnknownAccount, withField } from './error-result.js';
import { field, text, timeDescription } from './fields.js';
import type { InputOf } from './input-schema.js';
import { quoted } from './results.js';
import { readTime, shownTime } from './times.js';
import type { ToolContext, ToolMode } from './tool-context.js';

const modes: readonly ToolMode[] = ['draft', 'schedule', 'publish'];

/** A time that is less than this ahead counts as publishing immediately. */
const nowMs = 5 * 60_000;

export const postFields = (timeZone: string) => ({
  mode: field(
    z.optional(s.oneOf(modes)),
    'draft (default): saves the post, nothing is published. schedule: publishes it at scheduledFor. publish: publishes it now.',
  ),
  content: field(text(), 'The text of the post. The greatest length depends on the platforms and is not documented.'),
  accountIds: field(
    z.optional(z.array(s.id())),
    'The IDs of the accounts to publish to, from list_accounts. Each at most once. A draft needs none.',
  ),
  scheduledFor: field(
    z.optional(text()),
    `${timeDescription('Only with mode schedule. When to publish', timeZone)} Less than 5 minutes ahead counts as publishing now.`,
  ),
});

type PostInput = InputOf<ReturnType<typeof postFields>>;

export interface PlannedPost {
  readonly body: CreatePostBody;
  /** The accounts that were read. For a post that exists, none. */
  readonly accounts: readonly Integration[];
  /** The effect, in one sentence. */
  readonly summary: string;
  /** The same with the start of the text, for the user. */
  readonly question: string;
}

/**
 * Checks a post and makes its body. Accounts are read to learn their platforms, unless the key has a post that names them.
 * @throws InvalidRequestError the input is wrong
 */
export async function planPost(
  { client, timeZone }: Pick<ToolContext, 'client' | 'timeZone'>,
  { mode = 'draft', content, accountIds = [], scheduledFor }: PostInput,
  existing?: Intent,
  signal?: AbortSignal,
): Promise<PlannedPost> {
  checkMode(mode, accountIds, scheduledFor);
  const known = new Map(existing?.body.platforms?.map((target) => [target.accountId, target]));
  const accounts: Integration[] = [];
  const targets: PostTargetInput[] = [];
  for (const accountId of accountIds) {
    const target = known.get(accountId);
    if (target !== undefined) {
      targets.push(target);
      continue;
    }
    const account = await readAccount(client, accountId, signal);
    accounts.push(account);
    targets.push(targetOf(account));
  }
  const time = scheduledFor === undefined ? undefined : readTime('scheduledFor', scheduledFor, timeZone);
  const summary = summaryOf(mode, targets, accounts, shownTime(time, timeZone));
  return {
    body: bodyOf(mode, content, targets, time === undefined ? undefined : sameTime(time, existing)),
    accounts,
    summary,
    question: `${summary.replace(/\.$/, '')}: ${quoted(content)}.`,
  };
}

/** The post of the key may have been created with another notation of the same time. */
function sameTime(time: string, existing: Intent | undefined): string {
  const before = existing?.body.scheduledFor;
  return typeof before === 'string' && instantOf(before) === instantOf(time) ? before : time;
}

function bodyOf(
  mode: ToolMode,
  content: string,
  platforms: readonly PostTargetInput[],
  scheduledFor = '',
): CreatePostBody {
  if (mode === 'publish') return { content, platforms, publishNow: true };
  if (mode === 'schedule') return { content, platforms, scheduledFor };
  return { content, ...(platforms.length === 0 ? {} : { platforms }), saveAsDraft: true };
}

function checkMode(mode: ToolMode, accountIds: readonly string[], scheduledFor: string | undefined): void {
  const issues = [];
  if (mode === 'schedule' && scheduledFor === undefined)
    issues.push(issueAt(['scheduledFor'], 'is required with mode schedule'));
  if (mode !== 'schedule' && scheduledFor !== undefined) {
    issues.push(
      issueAt(['scheduledFor'], `cannot be combined with mode ${mode}. To schedule the post, pass mode schedule`),
    );
  }
  if (mode !== 'draft' && accountIds.length === 0)
    issues.push(issueAt(['accountIds'], `must have at least one ID with mode ${mode}`));
  if (new Set(accountIds).size < accountIds.length)
    issues.push(issueAt(['accountIds'], 'must not contain an ID twice'));
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

async function readAccount(
  { integrations }: ToolContext['client'],
  id: string,
  signal: AbortSignal | undefined,
): Promise<Integration> {
  try {
    return await integrations.get(id, { signal });
  } catch (error) {
    if (isErrorNamed(error, 'InvalidRequestError')) throw withField(error, 'accountIds');
    if (!isErrorNamed(error, 'NotFoundError')) throw error;
    throw new UnknownAccount(id);
  }
}

function summaryOf(
  mode: ToolMode,
  targets: readonly PostTargetInput[],
  accounts: readonly Integration[],
  time: string | undefined,
): string {
  const names = targets.map(({ platform, accountId }) => {
    const account = accounts.find(({ id }) => id === accountId);
    return account === undefined ? `${accountId} (${platform})` : accountLabel(account);
  });
  if (mode === 'draft') return 'Save a draft.';
  const where =
    names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${String(names.length - 5)} more` : names.join(', ');
  return mode === 'publish' ? `Publish a post now to ${where}.` : `Schedule a post for ${time ?? ''} to ${where}.`;
}

type Planned = Pick<Intent, 'body' | 'extraBody'>;

export function isSame(one: Planned, other: Planned): boolean {
  return isSameContent(contentOf(one), contentOf(other));
}

function contentOf({ body, extraBody }: Planned): Content {
  // Both are in their wire form: strings, booleans and lists.
  const wire = { body: body as unknown as JsonObject };
  return extraBody === undefined ? wire : { ...wire, extraBody };
}

/** Returns the strength of a write with this time, in milliseconds since 1970. */
export function strengthOf(body: CreatePostBody, at: number): ToolMode {
  if (body.saveAsDraft === true) return 'draft';
  if (body.publishNow === true) return 'publish';
  const time = instantOf(typeof body.scheduledFor === 'string' ? body.scheduledFor : undefined);
  return time !== undefined && time - at >= nowMs ? 'schedule' : 'publish';
}

/** Whether a write of this strength needs approval. */
export function exceeds(strength: ToolMode, mode: ToolMode): boolean {
  return modes.indexOf(strength) > modes.indexOf(mode);
}
