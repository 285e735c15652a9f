import { factsOf } from '../core/call/transport.js';
import {
  checkPassed,
  hasMethods,
  ifPassed,
  isFunction,
  isObject,
  isWhole,
  oneOf,
  optional,
  optionsOf,
  present,
} from '../core/call/options.js';
import { isStore } from '../stores/checks.js';
import { MemoryDurableStore } from '../stores/memory.js';
import type { DurableStore } from '../stores/store.js';
import { timeInZone } from '../model/zoned-time.js';
import { accountsNeedingAttention, listAccounts, accountInsights, postAnalytics } from './account-tools.js';
import { createAutomation, listComments, listConversations, listMessages, sendMessage } from './message-tools.js';
import { createPost, previewPost } from './create-post-tools.js';
import { cancelPost, editPost, listHeldPosts, resolvePost, retryFailedTargets } from './change-post-tools.js';
import { getPost, listPosts, waitForPost } from './read-post-tools.js';
import type { Fields } from '../core/json.js';
import { isStandardSchema } from '../core/standard-schema.js';
import { readExtras } from './fields.js';
import { allNames } from './define-tool.js';
import type { Approve, PostExtrasSchema, Tool, ToolContext, ToolMode, ToolsClient, ToolsPublisher } from './tool.js';

/** Options of {@link createTools}. */
export interface ToolsOptions {
  /** The client that reads and sends: a `SocialPublishing`. */
  readonly client: ToolsClient;
  /**
   * The publisher that creates posts. If you omit it, there are no tools that create posts, no `list_held_posts`,
   * `resolve_post` and `retry_failed_targets`, and no lookups by key.
   */
  readonly publisher?: ToolsPublisher | undefined;
  /**
   * The store of the keys of `send_message` and `create_automation`. If you omit it, these two tools are missing. It
   * also stores approvals and the keys of retries. If you omit it, they are lost in a restart.
   */
  readonly store?: DurableStore | undefined;
  /**
   * The strongest write that needs no approval: `draft`, `schedule` (5 minutes ahead or more) or `publish`. Default `draft`.
   */
  readonly mode?: ToolMode | undefined;
  /** Asks the user before a write that `mode` does not allow. If you omit it, such a call returns `needs_approval`. */
  readonly approve?: Approve | undefined;
  /**
   * The credits that the analytics tools may spend in total, a whole number. Default 0: there are no analytics tools.
   */
  readonly maxCredits?: number | undefined;
  /** The IANA time zone of local times in inputs and results, for example `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string | undefined;
  /** The IDs of the accounts that the tools see and use. They show nothing of other accounts. Default: all accounts. */
  readonly accounts?: readonly string[] | undefined;
  /**
   * The schema of an object: a Standard Schema that can be written as JSON Schema. It adds the field `extra` to
   * `create_post`, `edit_post` and `preview_post`. The tools send it as `extraBody`: media, for example.
   */
  readonly postExtras?: PostExtrasSchema | undefined;
  /** The names of the tools to create. Default: all tools that the other options allow. */
  readonly include?: readonly string[] | undefined;
  /** The names of tools to omit. */
  readonly exclude?: readonly string[] | undefined;
}

const publisherMethods = ['publish', 'resume', 'resolve', 'retryFailed', 'cancel', 'edit', 'get', 'list'] as const;
const isArrayOf = (items: string, isItem: (item: unknown) => boolean) =>
  optional(`an array of ${items}`, (value) => Array.isArray(value) && value.every(isItem));
const toolNames = isArrayOf(`tool names: ${allNames.join(', ')}`, (name) => allNames.includes(name as string));
const isTimeZone = optional('an IANA time zone, for example Europe/Berlin', (zone) => {
  try {
    return timeInZone(0, zone as string) !== ''; // It throws for any other value.
  } catch {
    return false;
  }
});
const optionsCheck = optionsOf<ToolsOptions>('an option of createTools', {
  client: present(isObject),
  publisher: ifPassed(hasMethods('a publisher', ...publisherMethods)),
  store: ifPassed(isStore),
  mode: oneOf('draft', 'schedule', 'publish'),
  approve: isFunction,
  maxCredits: isWhole({ least: 0 }),
  timeZone: isTimeZone,
  include: toolNames,
  exclude: toolNames,
  accounts: isArrayOf('account IDs', (id) => typeof id === 'string' && id !== ''),
  postExtras: optional('a Standard Schema with ~standard.jsonSchema', (value) => {
    if (!isStandardSchema(value)) return false;
    // Not every Standard Schema has it.
    const { jsonSchema } = value['~standard'] as Partial<PostExtrasSchema['~standard']>;
    return typeof jsonSchema?.input === 'function';
  }),
});

/**
 * Creates the tools for an agent. Every write has a key: if a call is repeated, in any process, it is executed only
 * once. Drafts need no approval. Other writes ask the user first: see `mode` and `approve`.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store });
 * const tools = createTools({ client, publisher, store, mode: 'draft' });
 * ```
 * @throws `ConfigurationError` an option is invalid
 */
export function createTools(options: ToolsOptions): Tool[] {
  checkPassed(optionsCheck, options);
  const { client, publisher, mode = 'draft', timeZone = 'UTC', approve, postExtras } = options;
  const { store = new MemoryDurableStore(), include, exclude = [] } = options;
  const { now, accessKeys } = factsOf(client);
  const accounts = options.accounts && new Set(options.accounts);
  const extras = postExtras && readExtras(postExtras);
  const shown = new Map<string, Fields>();
  const context = { client, publisher, mode, timeZone, now, store, accounts, shown, extras, approve, accessKeys };
  return allTools(context, options).filter(({ name }) => (include?.includes(name) ?? true) && !exclude.includes(name));
}

function allTools(context: ToolContext, { publisher, store, maxCredits = 0 }: ToolsOptions): Tool[] {
  const tools = [listAccounts, accountsNeedingAttention, listPosts, getPost, previewPost, waitForPost].map((make) =>
    make(context),
  );
  if (publisher !== undefined) {
    const publishing = { ...context, publisher };
    const makers = [createPost, editPost, cancelPost, retryFailedTargets, listHeldPosts, resolvePost];
    tools.push(...makers.map((make) => make(publishing)));
  }
  tools.push(listComments(context), listConversations(context), listMessages(context));
  if (store !== undefined) tools.push(sendMessage(context), createAutomation(context));
  if (maxCredits > 0) {
    const paid = context.client.withBudget(maxCredits);
    tools.push(postAnalytics(context, paid, maxCredits), accountInsights(context, paid, maxCredits));
  }
  return tools;
}
