import { withoutUndefined, type Fields } from '../core/json.js';
import * as z from 'zod/mini';
import * as s from '../schema/fields.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import { postEndpoints } from '../posts/posts.js';
import type { CreatePostBody, PostTargetInput } from '../posts/post-shapes.js';
import { goesOutSoon, requestOf, scheduledTime } from '../posts/read-create.js';
import { accountView, accountLabel, isVisible, targetLabels } from './account-tools.js';
import { publishedInPart, heldEqual, type PlannedContent, type PlannedCreate } from './equal-posts.js';
import { shownIntent } from './read-post-tools.js';
import { preflightAll, type PreflightFinding } from '../resources/preflight/preflight.js';
import { isSameContent } from '../publisher/intents/content.js';
import type { CallContext, PublisherContext, ToolContext, ToolMode, ToolResult } from './tool.js';
import { defineTool, isAllowed, unknownAccount, wasApproved } from './define-tool.js';
import { atMost, contentOfKey, result, ok, quoted } from './results.js';
import { nextIfKept, intentResult, timeOfBody } from './post-results.js';
import { extraField, key, namesNote, field, timeDescription, type InputOf, readTime, withField } from './fields.js';
import { InvalidRequestError, isErrorNamed } from '../core/errors.js';
import { issueAt } from '../core/call/options.js';
import { instantOf } from '../model/instant.js';
import type { IntegrationDetail } from '../resources/integrations.js';
import { targetOf } from '../posts/retry-failed.js';

/** From the weakest to the strongest. */
const modes: readonly ToolMode[] = ['draft', 'schedule', 'publish'];

const aboutKey = 'Names this post, chosen from the task: spring-sale/instagram. The same key never publishes twice.';

export const createPost = (context: PublisherContext) =>
  defineTool(context, {
    name: 'create_post',
    title: 'Create a post',
    description:
      'Use it to save a draft (default), schedule or publish a post, once per key: to repeat a call, pass the same key and ' +
      'input, which return the same post with replayed: true. Not to change a post, and never with a new key after a failure.',
    effect: 'addsOnce',
    fields: { key: key(aboutKey), ...postFields(context) },
    prepare: async ({ key, ...input }, call) => {
      const { publisher } = call;
      const existing = await publisher.get(key);
      const planned = await planPost(call, input, existing);
      const { body, extraBody } = planned;
      if (existing !== undefined && !isSameContent(existing, planned)) return conflictResult(existing, call);
      if (existing === undefined) {
        const equal = (await heldEqual(call, key, planned)) ?? (await publishedInPart(call, planned));
        if (equal !== undefined) return equal;
      }
      const isFree = await isApproved(existing, planned, call);
      return {
        approval: isFree ? undefined : await questionOf(call, planned),
        approved: approvedCall(key, planned),
        write: async () => {
          // While the user was asked, an equal post can have come into doubt.
          const held = isFree || existing !== undefined ? undefined : await heldEqual(call, key, planned);
          return held ?? intentResult(await publisher.publish(key, body, { extraBody }), call);
        },
      };
    },
  });

/** The result of a create whose key has another content. */
function conflictResult(existing: Intent, context: ToolContext): ToolResult {
  const what =
    existing.state === 'abandoned' ? 'The post of this key is cancelled.' : 'This key already has another content.';
  // While another call sends the post, no next step fits this content.
  const isShown = isVisible(context, requestOf(existing)) && existing.state !== 'sending';
  const own = isShown ? nextIfKept(existing, context) : undefined;
  return result('rejected', `${what} Nothing was sent.`, { next: own ?? contentOfKey });
}

/** Describes the write for the user, and warns of a time in the past. */
export async function questionOf(context: CallContext, planned: PlannedCreate): Promise<string> {
  return (await effectOf(context, planned)) + pastNote(planned, context.now());
}

/** Describes the effect of a create for the user: every account, and the start of the text. */
export async function effectOf(
  context: CallContext,
  { body, extraBody, accounts }: PlannedContent & Partial<PlannedCreate>,
): Promise<string> {
  const { content = '', platforms = [] } = body;
  const names = await targetLabels(context, platforms, accounts);
  return `${summaryOf(body, names, context.timeZone)}: ${quoted(content)}.${extraNote(extraBody)}`;
}

/** The agent's own fields, as JSON. */
export function extraNote(extraBody: Fields = {}): string {
  return Object.keys(extraBody).length === 0 ? '' : ` With the fields ${quoted(JSON.stringify(extraBody))}.`;
}

/** The API document does not say what the service does with a time in the past. */
function pastNote(content: PlannedContent, at: number): string {
  const time = scheduledTime(requestOf(content));
  if (time === undefined || time >= at) return '';
  return ' This time is in the past: the post may go out at once. The API document does not say whether it does.';
}

export function approvedCall(key: string, content: PlannedContent) {
  return { tool: 'create_post', key, content: requestOf(content) };
}

/** Whether a create needs no question: `mode` allows it, the user approved it before, or it sends nothing. */
async function isApproved(
  existing: Intent | undefined,
  planned: PlannedCreate,
  { mode, now, store }: ToolContext,
): Promise<boolean> {
  const isAsked = (at: number) => modes.indexOf(strengthOf(planned, at)) > modes.indexOf(mode);
  if (!isAsked(now())) return true;
  if (existing === undefined) return false;
  // Another program may have left it ready.
  if (existing.state === 'ready') return wasApproved(store, approvedCall(existing.key, planned));
  // A post that was scheduled without a question may have waited until its time came near.
  return isAsked(Date.parse(existing.createdAt)) || existing.state !== 'in_doubt';
}

export const previewPost = (context: ToolContext) =>
  defineTool(context, {
    name: 'preview_post',
    title: 'Preview a post',
    description:
      `Use it before create_post, to check a post: it returns the request, time, accounts and findings; ${namesNote}. ` +
      'Not to save a post: it sends and stores nothing.',
    effect: 'reads',
    fields: { key: z.optional(key(aboutKey)), ...postFields(context) },
    prepare: async ({ key, ...input }, call) => {
      const { client, timeZone, signal } = call;
      const existing = key === undefined ? undefined : await shownIntent(call, key);
      const planned = await planPost(call, input);
      const { body, extraBody, accounts } = planned;
      // The list would show a post that was sent as its own duplicate.
      const isSent = existing !== undefined && existing.state !== 'ready';
      const [findings = []] = isSent ? [] : await preflightAll(client, [{ body, extraBody }], { accounts, signal });
      const data = await previewData(call, planned, existing, findings);
      const names = accounts.map(accountLabel).join(', ');
      const summary = `${summaryOf(body, names, timeZone)}.${pastNote(planned, call.now())}`;
      const { counts, next } = adviceOn(findings, call);
      return ok(`${summary} This is a preview: nothing was sent.${counts}`, data, next);
    },
  });

function adviceOn(findings: readonly PreflightFinding[], { extras }: ToolContext) {
  const create = 'To create the post, call create_post.';
  if (findings.length === 0) return { counts: '', next: create };
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const needsMedia = findings.some(({ code }) => code === 'media_missing');
  // The finding names an option of the client.
  const media = extras === undefined ? 'These tools cannot send media. ' : 'Pass media in extra. ';
  const then = errors === 0 ? create : 'Fix the errors, then call preview_post again.';
  return {
    counts: ` Errors: ${String(errors)}. Warnings: ${String(findings.length - errors)}.`,
    next: `Show findings to the user. ${needsMedia ? media : ''}${then}`,
  };
}

async function previewData(
  context: ToolContext,
  planned: PlannedCreate,
  existing: Intent | undefined,
  findings: readonly PreflightFinding[],
): Promise<Fields> {
  const { accounts } = planned;
  const [method, path] = postEndpoints.create.route.split(' ');
  return withoutUndefined({
    request: { method, path, body: { ...requestOf(planned), ...atMost('platforms', planned.body.platforms) } },
    scheduledFor: timeOfBody(planned, context.timeZone),
    timeZone: context.timeZone,
    needsApproval: !(await isApproved(existing, planned, context)),
    ...atMost('accounts', accounts, accountView),
    ...atMost('findings', findings),
    existing: existing && {
      state: existing.state,
      sameContent: isSameContent(existing, planned),
      postId: existing.postId,
    },
  });
}

export const postFields = ({ timeZone, extras }: Pick<ToolContext, 'timeZone' | 'extras'>) => ({
  mode: field(
    z.optional(s.oneOf(modes)),
    'draft (default): only saved. schedule: published at scheduledFor. publish: now.',
  ),
  content: field(s.text(), 'The text.'),
  accountIds: field(
    z.optional(z.array(s.id())),
    'The accounts to publish to: IDs from list_accounts, each once. A draft needs none.',
  ),
  scheduledFor: field(
    z.optional(s.text()),
    `${timeDescription('With mode schedule: when', timeZone)} Less than 5 minutes ahead counts as now.`,
  ),
  ...extraField(extras),
});

type PostInput = InputOf<ReturnType<typeof postFields>>;

/**
 * Checks a post and makes its body. Accounts are read to learn their platforms, unless the key has a post that names them.
 * @throws InvalidRequestError the input is wrong
 */
async function planPost(
  context: CallContext,
  { mode = 'draft', content, accountIds = [], scheduledFor, extra }: PostInput,
  existing?: Intent,
): Promise<PlannedCreate> {
  checkMode(mode, accountIds, scheduledFor);
  const extraBody = await context.extras?.check(extra);
  const { targets, accounts } = await readTargets(context, accountIds, existing?.body.platforms);
  const time = readTime('scheduledFor', scheduledFor, context.timeZone);
  const body = bodyOf(mode, content, targets, sameTime(time, existing));
  return { body, extraBody, accounts };
}

/** Reads the accounts of a post, except its known targets. */
export async function readTargets(
  context: CallContext,
  accountIds: readonly string[],
  known?: readonly PostTargetInput[],
): Promise<{ targets: PostTargetInput[]; accounts: IntegrationDetail[] }> {
  const accounts: IntegrationDetail[] = [];
  const targets: PostTargetInput[] = [];
  for (const accountId of accountIds) {
    if (!isAllowed(context, accountId)) throw unknownAccount(accountId, 'accountIds');
    let target = known?.find((one) => one.accountId === accountId);
    if (target === undefined) {
      const account = await readAccount(context, accountId);
      accounts.push(account);
      target = targetOf(account);
    }
    targets.push(target);
  }
  return { targets, accounts };
}

/** The post of the key may have been created with another notation of the same time. */
export function sameTime(time: string | undefined, existing: Intent | undefined): string | undefined {
  const before = existing?.body.scheduledFor;
  return typeof before === 'string' && time !== undefined && instantOf(before) === instantOf(time) ? before : time;
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
  if (new Set(accountIds).size < accountIds.length) issues.push(twice);
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

export const twice = issueAt(['accountIds'], 'must not contain an ID twice');

async function readAccount({ client, signal }: CallContext, id: string): Promise<IntegrationDetail> {
  try {
    return await client.integrations.get(id, { signal });
  } catch (error) {
    if (isErrorNamed(error, 'InvalidRequestError')) throw withField(error, 'accountIds');
    if (!isErrorNamed(error, 'NotFoundError')) throw error;
    throw unknownAccount(id, 'accountIds');
  }
}

/** The effect of a create, as the start of a sentence. */
function summaryOf(body: CreatePostBody, names: string, timeZone: string): string {
  if (body.saveAsDraft === true) return 'Save a draft';
  if (body.publishNow === true) return `Publish a post now to ${names}`;
  return `Schedule a post for ${timeOfBody({ body }, timeZone) ?? ''} to ${names}`;
}

/** Returns the strength of a write with this time, in milliseconds since 1970. */
function strengthOf(content: PlannedContent, at: number): ToolMode {
  const request = requestOf(content);
  if (request.saveAsDraft === true) return 'draft';
  return goesOutSoon(request, at) ? 'publish' : 'schedule';
}
