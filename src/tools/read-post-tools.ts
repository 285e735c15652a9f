import { withoutUndefined, type Fields } from '../core/json.js';
import * as z from 'zod/mini';
import * as s from '../schema/fields.js';
import { throwIfAborted } from '../core/flow/abort.js';
import { isErrorNamed } from '../core/errors.js';
import { invalidArgument } from '../core/call/options.js';
import { defaultRuntime, keepNewest } from '../core/runtime.js';
import { knownPlatforms, isFinalStatus, knownPostStatuses } from '../model/known-values.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import type { Post } from '../posts/posts.js';
import { requestOf } from '../posts/read-create.js';
import { isWaitTimeout } from '../posts/watch-posts.js';
import type { CallContext, ToolResult, ToolContext } from './tool.js';
import { listResult, ok, result, shownContent } from './results.js';
import { unknownKey, finalResult, intentResult, intentView, nextOf, postView } from './post-results.js';
import { defineTool } from './define-tool.js';
import { field, key, listFields, offsetPart, timeDescription, readTime } from './fields.js';
import { findPost, isVisible } from './account-tools.js';

const listPostsFields = (timeZone: string) => ({
  status: field(z.optional(s.oneOf(knownPostStatuses)), 'Only posts in this status.'),
  platform: field(
    z.optional(
      z.union([s.oneOf(knownPlatforms), z.array(s.oneOf(knownPlatforms)).check(s.sized(z.minLength(1)))], {
        error: () => `must be one of ${knownPlatforms.join(', ')}, or an array of them`,
      }),
    ),
    'Only posts with a target on one of these platforms.',
  ),
  createdAfter: field(z.optional(s.text()), timeDescription('Only posts created from then on', timeZone)),
  createdBefore: field(z.optional(s.text()), timeDescription('Only posts created up to then', timeZone)),
  scheduledAfter: field(z.optional(s.text()), timeDescription('Only posts scheduled from then on', timeZone)),
  scheduledBefore: field(z.optional(s.text()), timeDescription('Only posts scheduled up to then', timeZone)),
  ...listFields(),
});

export const listPosts = (context: ToolContext) =>
  defineTool(context, {
    name: 'list_posts',
    title: 'List posts',
    description: `Use it to find posts by status, platform or time, with the result of each target; times are in ${context.timeZone}. Not for one post: use get_post.`,
    effect: 'reads',
    fields: listPostsFields(context.timeZone),
    prepare: async ({ status, platform, limit, cursor, ...times }, call) => {
      const { client, accounts, signal } = call;
      const read = Object.entries(times).map(([name, time]) => [name, readTime(name, time, call.timeZone)] as const);
      const platforms = typeof platform === 'string' ? [platform] : platform;
      const query = { status, platform: platforms, ...Object.fromEntries(read) };
      const part = await offsetPart(
        { limit, cursor },
        (page) => client.posts.list({ ...query, ...page }, { signal }),
        accounts && (({ rawRequestBody }) => isVisible(call, rawRequestBody)),
      );
      return listResult('posts', part, (post) => shownView(call, post));
    },
  });

const mostShown = 1_000;

function shownView({ shown, timeZone }: ToolContext, post: Post): Fields {
  const view = postView(post, timeZone);
  shown.delete(post.postId);
  shown.set(post.postId, view);
  keepNewest(shown, mostShown);
  return view;
}

const referenceFields = ({ publisher }: Pick<ToolContext, 'publisher'>) => {
  const postId = field(z.optional(s.id()), 'The ID of the post. Or pass key.');
  const fields = { postId, key: z.optional(key('The key of its create_post.')) };
  // Without a publisher, the schema refuses a key, and a missing one is undefined.
  return publisher === undefined ? ({ postId } as typeof fields) : fields;
};

interface Reference {
  readonly postId?: string | undefined;
  readonly key?: string | undefined;
}

/** @throws InvalidRequestError there is neither an ID nor a key, or there are both */
export function checkReference({ postId, key }: Reference, { publisher }: ToolContext): void {
  if ((postId === undefined) !== (key === undefined)) return;
  const message = publisher === undefined ? 'is required' : 'or key is required, and not both';
  throw invalidArgument('postId', message);
}

export const getPost = (context: ToolContext) =>
  defineTool(context, {
    name: 'get_post',
    title: 'Get a post',
    description: `Use it for one post by ${context.publisher ? 'ID or key' : 'ID'}, with the result of each target; times are in ${context.timeZone}. Not to wait for a result: use wait_for_post.`,
    effect: 'reads',
    fields: referenceFields(context),
    prepare: async (input, call) => {
      checkReference(input, call);
      const { key, postId = '' } = input;
      if (key !== undefined) return keyResult(call, await shownIntent(call, key));
      const post = await findPost(call, postId);
      if (post !== undefined && isVisible(call, post.rawRequestBody))
        return ok(`The post is ${post.status ?? 'listed'}.`, shownView(call, post));
      return unlistedResult(call, postId);
    },
  });

async function keyResult(context: CallContext, intent: Intent | undefined): Promise<ToolResult> {
  const { timeZone } = context;
  if (intent === undefined) return unknownKey();
  const listed = intent.postId === undefined ? undefined : await findPost(context, intent.postId);
  const { content } = intent.body;
  const data = {
    ...intentView(intent, timeZone),
    ...withoutUndefined({ content: shownContent(content) }),
    ...(listed && postView(listed, timeZone)),
  };
  const next = listed === undefined ? nextOf(intent, context) : undefined;
  return ok(`The post is ${listed?.status ?? intent.state}.`, data, next);
}

/** The result if the whole list does not show a post, or the tools must not show it: the two look the same. */
export async function unlistedResult(context: ToolContext, postId: string): Promise<ToolResult> {
  const created = await createdPost(context, postId);
  return created === undefined ? missingResult(context, postId) : lateResult(created);
}

/** The result for an ID that neither the list nor a key has. */
async function missingResult(context: ToolContext, postId: string): Promise<ToolResult> {
  // An ID can be too long for a key.
  const intent = await shownIntent(context, postId).catch((error: unknown) => {
    if (!isErrorNamed(error, 'InvalidRequestError')) throw error;
  });
  const next = intent
    ? 'This is the key of a post: pass it as key.'
    : 'Check the ID: list_posts lists the posts. Only a post of the last minutes can be listed late.';
  return result('failed', 'The post was not found.', { next });
}

const longestWait = 600;
/** Many hosts of MCP servers end a call after 60 seconds. */
const defaultWait = 45;

export const waitForPost = (context: ToolContext) =>
  defineTool(context, {
    name: 'wait_for_post',
    title: 'Wait for a post',
    description:
      'Use it after create_post, for the final result of each target; if final is false, call again. Not for drafts: nothing ' +
      'publishes them.',
    effect: 'reads',
    fields: {
      ...referenceFields(context),
      seconds: field(
        z.optional(z.number().check(z.minimum(0), z.maximum(longestWait))),
        `The longest wait in seconds, 0 to ${String(longestWait)}. Default ${String(defaultWait)}.`,
      ),
    },
    prepare: async ({ seconds = defaultWait, ...reference }, call) => {
      checkReference(reference, call);
      const start = performance.now();
      const report = (summary: string) => {
        const waited = Math.floor((performance.now() - start) / 1_000);
        call.onProgress({ seconds: waited, ofSeconds: seconds, summary });
      };
      const wait = { deadline: start + seconds * 1_000, report };
      const { key } = reference;
      if (key === undefined) return waitForId(call, reference.postId ?? '', wait);
      const intent = await whenSent(call, key, wait);
      if (intent === undefined) return unknownKey();
      const { state, postId } = intent;
      if (state !== 'accepted' || postId === undefined)
        return intentResult(intent, call, { final: isFinalStatus(state) });
      const created = intentView(intent, call.timeZone);
      if (requestOf(intent).saveAsDraft === true) return draftResult(created);
      return waitForId(call, postId, wait, created);
    },
  });

interface WaitLimits {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Called at each poll, with the state in one sentence. */
  readonly report: (summary: string) => void;
}

const pollMs = 1_000;

/** Reads an intent until no other call sends it. */
async function whenSent(context: CallContext, key: string, { deadline, report }: WaitLimits) {
  for (;;) {
    const intent = await shownIntent(context, key);
    const left = deadline - performance.now();
    if (intent?.state !== 'sending' || left <= 0) return intent;
    report('Another call is sending the post.');
    await defaultRuntime.sleep(Math.min(pollMs, left), context.signal);
  }
}

/** Reads the intent of a key, if the tools show its post. */
export async function shownIntent(context: ToolContext, key: string): Promise<Intent | undefined> {
  const intent = await context.publisher?.get(key);
  return intent !== undefined && isVisible(context, requestOf(intent)) ? intent : undefined;
}

/** Reads all intents: the store has no index by post. */
export async function createdPost(context: ToolContext, postId: string): Promise<Fields | undefined> {
  for await (const intent of context.publisher?.list() ?? []) {
    if (intent.postId !== postId) continue;
    return isVisible(context, requestOf(intent)) ? intentView(intent, context.timeZone) : undefined;
  }
  return undefined;
}

/** @param own the post as its key shows it. Without a key, the tools may have to hide the post. */
async function waitForId(
  context: CallContext,
  postId: string,
  { deadline, report }: WaitLimits,
  own?: Fields,
): Promise<ToolResult> {
  const { client, signal } = context;
  const isShown = ({ rawRequestBody }: Post) => own !== undefined || isVisible(context, rawRequestBody);
  const resultOf = (post: Post, make: (data: Fields) => ToolResult) =>
    isShown(post)
      ? make({ ...withoutUndefined({ key: own?.['key'] }), ...shownView(context, post) })
      : missingResult(context, postId);
  try {
    const waitMs = Math.max(0, deadline - performance.now());
    const onUpdate = (post: Post) => {
      if (isShown(post)) report(`The post is ${post.status ?? 'not final'}.`);
    };
    const onPollError = () => {
      report('The list of posts could not be read. The wait goes on.');
    };
    const post = await client.posts.waitUntilFinal(postId, { waitMs, signal, onUpdate, onPollError });
    return await resultOf(post, (data) => finalResult(post, data));
  } catch (error) {
    if (isWaitTimeout(error)) {
      const [post] = error.pending;
      if (post !== undefined)
        return resultOf(post, (data) => notFinal(`The post is still ${post.status ?? 'not final'}.`, data, waitLonger));
      const created = own ?? (await createdPost(context, postId));
      const known = created ?? context.shown.get(postId);
      if (error.cause === undefined) {
        if (created !== undefined) return lateResult(created);
        return known === undefined ? missingResult(context, postId) : hiddenResult(known);
      }
      // A list that could not be read does not prove that a post does not exist.
      return notFinal('The list of posts could not be read in this time.', known ?? { postId }, waitLonger);
    }
    if (!isErrorNamed(error, 'InvalidRequestError')) throw error;
    // The ID is valid, so the list shows a draft: it never becomes final.
    const post = await findPost(context, postId).catch(() => {
      throwIfAborted(signal);
      return undefined;
    });
    return post === undefined ? draftResult({ ...own, postId }) : resultOf(post, draftResult);
  }
}

const waitLonger = 'To wait longer, call again.';

function notFinal(summary: string, data: Fields, next: string): ToolResult {
  return ok(summary, { ...data, final: false }, next);
}

function lateResult(created: Fields): ToolResult {
  const summary = 'The post was created, and the list of posts does not show it yet.';
  return notFinal(summary, created, 'Call again in a minute.');
}

function hiddenResult(shown: Fields): ToolResult {
  const summary = 'An earlier list has shown the post, and the list of posts does not show it now.';
  return isFinalStatus(String(shown['status']))
    ? ok(summary, { ...shown, final: true })
    : notFinal(summary, shown, 'Call again in a minute.');
}

function draftResult(data: Fields): ToolResult {
  return notFinal('The post is a draft. Nothing publishes it.', data, 'Do not wait for a draft.');
}
