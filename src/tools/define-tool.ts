import { issueAt } from '../core/call/options.js';
import { callSafely } from '../core/call/hooks.js';
import { throwIfAborted, untilAborted } from '../core/flow/abort.js';
import { errorResult, invalid, oneLine, result } from './results.js';
import { inputForms, InvalidInput, type InputFields, type InputOf } from './fields.js';
import { annotationsOf, type Approve, type CallContext, type Tool, type ToolCallOptions } from './tool.js';
import type { ToolContext, ToolJsonSchema, ToolProgress, ToolResult, ToolStatus } from './tool.js';
import { formsOf, redactor, redactValue, type Redact } from '../core/redactor.js';
import { canonicalJson, shortText, type Fields } from '../core/json.js';
import { normalKey } from '../publisher/intents/intent-space.js';
import type { RecordStore } from '../stores/lost-replies.js';
import { change, formatOf, recordsIn } from '../stores/records.js';

/** A write that is ready: its input is checked, and nothing was sent or stored. */
export interface PlannedWrite {
  /** The effect of the call in one sentence, if the user must approve it. */
  readonly approval: string | undefined;
  /** The call to store as approved, so that it does not ask again. */
  readonly approved?: ApprovedCall | undefined;
  /** Executes it. It continues after an abort, so that its outcome is recorded. */
  readonly write: () => Promise<ToolResult>;
}

interface ToolDefinition<Context extends ToolContext, Fields extends InputFields> extends Pick<
  Tool,
  'name' | 'title' | 'description'
> {
  readonly effect: keyof typeof annotationsOf;
  readonly fields: Fields;
  /** Reads, and returns the result; or prepares a write. */
  readonly prepare: (input: InputOf<Fields>, call: CallContext<Context>) => Promise<ToolResult | PlannedWrite>;
}

export function defineTool<Context extends ToolContext, Fields extends InputFields>(
  context: Context,
  { effect, fields, prepare, ...about }: ToolDefinition<Context, Fields>,
): Tool {
  const { approve: defaultApprove, accessKeys, store } = context;
  const forms = inputForms(fields);
  const redactor = () => redactorOfCutTexts(accessKeys());
  const check = (input: unknown) => forms.inputSchema['~standard'].validate(input);
  const planOf = async (input: Record<string, unknown>, options: ToolCallOptions = {}) => {
    const { accountId } = input;
    if (typeof accountId === 'string' && !isAllowed(context, accountId)) throw unknownAccount(accountId, 'accountId');
    // The schema was built from the fields, so its output has their types.
    return prepare(input as InputOf<Fields>, callOf(context, options));
  };
  const annotations = annotationsOf[effect];
  return {
    ...about,
    ...forms,
    annotations,
    outputSchema: outputSchemaOf(about.name),
    needsApproval: async (input) => {
      if (annotations.readOnlyHint) return false; // To prepare a read is to execute it.
      const checked = check(input);
      if (checked.issues !== undefined) return false;
      try {
        const planned = await planOf(checked.value);
        return 'write' in planned && planned.approval !== undefined;
      } catch {
        return false; // The call itself reports the error, and executes nothing.
      }
    },
    execute: async (input, options: ToolCallOptions = {}) => {
      const { signal, approve = defaultApprove } = options;
      throwIfAborted(signal);
      const checked = check(input);
      if (checked.issues !== undefined) return redactResult(invalid(checked), redactor());
      const { value } = checked;
      const askUser = (question: string) => ask(about, value, oneLine(redactor()(question)), approve);
      const ended = planOf(value, options)
        .then((planned) => ('write' in planned ? executed(planned, askUser, store, signal) : planned))
        .catch((error: unknown) => {
          throwIfAborted(signal);
          return errorResult(error);
        });
      return untilAborted(
        signal,
        ended.then((result) => redactResult(result, redactor())),
      );
    },
  };
}

function callOf<Context extends ToolContext>(context: Context, { signal, onProgress }: ToolCallOptions) {
  return { ...context, signal, onProgress: (progress: ToolProgress) => void callSafely(() => onProgress?.(progress)) };
}

/** Whether the tools see and use this account. */
export function isAllowed({ accounts }: ToolContext, accountId: string): boolean {
  return accounts?.has(accountId) ?? true;
}

/** The error for an account that does not exist, or that the tools must not use. */
export function unknownAccount(id: string, field: string): InvalidInput {
  const verb = field === 'accountIds' ? 'contains' : 'is';
  const issue = issueAt([field], `${verb} an account that was not found: ${shortText(id, 100)}`);
  return new InvalidInput(issue, 'Call list_accounts.');
}

/** Executes a write, after the user approved it if it needs approval. */
async function executed(
  { approval, approved, write }: PlannedWrite,
  askUser: (question: string) => Promise<ToolResult | undefined>,
  store: RecordStore,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  if (approval !== undefined) {
    const refusal = await askUser(approval);
    throwIfAborted(signal);
    if (refusal !== undefined) return refusal;
    if (approved !== undefined) await recordApproval(store, approved);
  }
  throwIfAborted(signal);
  return write();
}

/** Asks the user. If the user does not approve the call, returns the result of the call. */
async function ask(
  { name, title }: Pick<Tool, 'name' | 'title'>,
  input: Fields,
  summary: string,
  approve: Approve | undefined,
): Promise<ToolResult | undefined> {
  if (approve === undefined) {
    return result('needs_approval', `The user must approve this first: ${summary} Nothing was sent.`, {
      next: 'Ask the user to approve it, or to allow it in the settings of the tools.',
    });
  }
  let answer: unknown;
  try {
    answer = await approve({ tool: name, title, input, summary });
  } catch {
    return result('failed', 'The question for approval failed. Nothing was sent.', {
      next: 'Call again with the same input, so that the user is asked again.',
    });
  }
  if (answer === true) return undefined;
  return result('rejected', 'The user did not approve it. Nothing was sent.', {
    next: 'Ask the user what to change. Do not repeat the call unless the user asks for it.',
  });
}

/** A call that the user approved. It is stored, so that a restart does not ask again. */
export interface ApprovedCall {
  readonly tool: string;
  readonly key: string;
  readonly content: Fields;
}

type Approval = Pick<ApprovedCall, 'content'>;
const approvals = formatOf<Approval>('format', 1);

/** Whether the user approved this call with this content. */
export async function wasApproved(store: RecordStore, call: ApprovedCall): Promise<boolean> {
  const read = await recordsIn(store, approvals).read(approvalAt(call));
  return read !== undefined && canonicalJson(read.record.content) === canonicalJson(call.content);
}

/** Records an approval. It replaces the approval of another content. */
async function recordApproval(store: RecordStore, call: ApprovedCall): Promise<void> {
  const next = () => ({ record: { content: call.content }, wakeAt: null });
  await change(recordsIn(store, approvals), approvalAt(call), next, { known: 'new' });
}

function approvalAt({ tool, key }: ApprovedCall): string {
  return `tools/approved/${tool}/${normalKey(key)}`;
}

/** Shorter starts of a secret are useless, and could be words. */
const shortestStart = 4;

/** Creates a function that removes secrets from a text, including the start of a secret that was cut. */
function redactorOfCutTexts(secrets: readonly string[]): Redact {
  const redact = redactor(secrets);
  const starts = formsOf(secrets).flatMap((form) =>
    Array.from({ length: Math.max(0, form.length - shortestStart) }, (_, index) => `${form.slice(0, -1 - index)}…`),
  );
  return (text) => {
    const whole = redact(text);
    return whole.includes('…') ? starts.reduce((shown, start) => shown.replaceAll(start, '***…'), whole) : whole;
  };
}

/** Removes secrets from every text of a result. */
function redactResult({ status, ...shown }: ToolResult, redact: Redact): ToolResult {
  // Redacting keeps the form: texts stay texts, objects stay objects.
  return { status, ...(redactValue(shown, redact) as Omit<ToolResult, 'status'>) };
}

// The JSON Schemas of results.

type OutputFields = Readonly<Record<string, Fields>>;

/** Fields of any type, named in one text. */
const some = (names: string): OutputFields => Object.fromEntries(names.split(' ').map((name) => [name, {}]));
const object = (properties: OutputFields): Fields => ({ type: 'object', properties });
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
  ...some('error accountIds waitUntil'),
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
  preview_post: {
    request: object(some('method path body')),
    ...some('scheduledFor timeZone needsApproval'),
    ...short('accounts', account),
    ...short('findings', some('code severity message path platform accountId')),
    existing: object(some('state postId sameContent')),
    ...times,
  },
  create_post: { ...intent, ...times },
  edit_post: { ...intent, ...times, final: {} },
  cancel_post: intent,
  wait_for_post: { ...intent, final: {} },
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

/** Every tool. Some need a publisher, a store or a budget. */
export const allNames: readonly string[] = Object.keys(dataOf);

const statuses = ['ok', 'held', 'needs_approval', 'rejected', 'invalid', 'failed'] satisfies readonly ToolStatus[];

/** Returns the JSON Schema of a tool's whole result. */
function outputSchemaOf(tool: string): ToolJsonSchema {
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
