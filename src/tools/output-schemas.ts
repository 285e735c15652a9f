/**
 * The JSON Schema of each tool's results: it names every field. Hosts send the schemas of all tools to a model, so they
 * say no more. Objects are open: hosts check them, and a later version may add fields.
 */
import type { AnySchema } from './function-schemas.js';
import type { ToolJsonSchema, ToolStatus } from './tool.js';

type OutputFields = Readonly<Record<string, AnySchema>>;

/** Fields of any type, named in one text. */
const some = (names: string): OutputFields => Object.fromEntries(names.split(' ').map((name) => [name, {}]));
const object = (properties: OutputFields): AnySchema => ({ type: 'object', properties });
/** The list of a result. */
const list = (name: string, fields: OutputFields): OutputFields => ({
  [name]: { type: 'array', items: object(fields) },
});
/** A short list, and how many items it leaves out. */
const short = (name: string, fields: OutputFields): OutputFields => ({ ...list(name, fields), [`more_${name}`]: {} });

const targets = short('targets', some('platform accountId state url error warning publishedAt platformPostId'));
const post: OutputFields = { ...some('postId status content scheduledFor createdAt'), ...targets };
/** A post by its key. */
const intent: OutputFields = { ...post, ...some('key state replayed attempts sendAt') };
const held: OutputFields = {
  ...intent,
  ...some('error accountIds'),
  lookup: object(some('at since result error postIds')),
};
const account = some('accountId platform username health authStatus authFailureReason profileId untrustedText');
const message = some('id authorId timestamp untrustedText');
const reply: OutputFields = { ...message, likeCount: {} };

/** The fields of an error: a wrong input, or a refusal. */
const problem = some('issues error name httpStatus');
/** The neighbours of a local time that clocks skip or repeat. */
const times = some('field earlier later');
const page: OutputFields = { cursor: { description: 'For the next items. Missing: no more.' } };
const credits = some('creditsUsed maxCredits');

/** The fields of `data` by tool. */
const dataOf: Readonly<Record<string, OutputFields>> = {
  list_accounts: { ...list('accounts', account), total: {}, ...page },
  accounts_needing_attention: {
    ...list('accounts', some('accountId platform username reason expiresAt untrustedText')),
    ...page,
  },
  list_posts: { ...list('posts', post), total: {}, ...page, ...times },
  get_post: { ...intent, final: {} },
  wait_for_post: { ...intent, final: {} },
  preview_post: {
    request: object(some('method path body')),
    ...some('scheduledFor timeZone needsApproval'),
    ...short('accounts', account),
    ...short('findings', some('code severity message path platform accountId')),
    existing: object(some('state postId sameContent')),
    ...times,
  },
  create_post: { ...intent, ...times },
  edit_post: { ...intent, ...times },
  cancel_post: intent,
  retry_failed_targets: { ...intent, retryKey: {} },
  list_held_posts: { ...list('posts', held), ...page },
  resolve_post: held,
  list_comments: { ...list('comments', { ...reply, hidden: {}, ...short('replies', reply) }), ...page },
  list_conversations: {
    selfId: {},
    ...list('conversations', {
      ...some('conversationId updatedTime'),
      ...short('participants', some('id untrustedText')),
      lastMessage: object(message),
    }),
    ...page,
  },
  list_messages: { ...list('messages', message), ...page },
  send_message: some('key messageId markedAt replayed'),
  create_automation: some('key automationId automationStatus markedAt replayed'),
  post_analytics: {
    ...some('postId source content publishedAt mediaType aggregated platforms more_platforms'),
    ...credits,
  },
  account_insights: { ...some('accountId metricType dateRange metrics dataDelay'), ...credits },
};

const statuses = ['ok', 'held', 'needs_approval', 'rejected', 'invalid', 'failed'] satisfies readonly ToolStatus[];

/** Returns the JSON Schema of a tool's whole result. */
export function outputSchemaOf(tool: string): ToolJsonSchema {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      status: { enum: statuses },
      summary: text,
      data: object({ ...dataOf[tool], ...problem, truncated: {} }),
      next: text,
    },
    required: ['status', 'summary'],
    additionalProperties: false,
  };
}
