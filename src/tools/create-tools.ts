import { timeOf } from '../core/client-clock.js';
import {
  checkConfiguration,
  hasMethods,
  isFunction,
  isObject,
  isWhole,
  oneOf,
  optional,
  optionsOf,
  present,
  type OptionCheck,
} from '../core/options.js';
import type { DurableStore } from '../stores/store.js';
import { accountsNeedingAttention, listAccounts } from './account-tools.js';
import { defineTool, type ToolDefinition } from './define-tool.js';
import type { InputFields } from './input-schema.js';
import type { Approve, Tool } from './tool.js';
import type { ToolContext, ToolMode, ToolsClient, ToolsPublisher } from './tool-context.js';

/** Options of {@link createTools}. */
export interface ToolsOptions {
  /** The client that reads and sends: a `SocialPublishing`. */
  readonly client: ToolsClient;
  /**
   * The publisher that creates posts. Without it, the tools that create posts are left out, and so are `list_held_posts`,
   * `resolve_post`, `retry_failed_targets` and lookups by key.
   */
  readonly publisher?: ToolsPublisher | undefined;
  /** The store of the keys of `send_message` and `create_automation`. Without it, these two are left out. */
  readonly store?: DurableStore | undefined;
  /**
   * The strongest write that needs no approval: `draft`, `schedule` (5 minutes ahead or more) or `publish`. Default `draft`.
   */
  readonly mode?: ToolMode | undefined;
  /** Asks the user before a stronger write. Without it, such a call returns `needs_approval`. */
  readonly approve?: Approve | undefined;
  /** The credits that the analytics tools may spend in total, a whole number. Default 0: these tools are left out. */
  readonly maxCredits?: number | undefined;
  /** The IANA time zone of local times in inputs and results, for example `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string | undefined;
  /** Only these tools. Default: all that the other options allow. */
  readonly include?: readonly string[] | undefined;
  /** Without these tools. */
  readonly exclude?: readonly string[] | undefined;
}

const ifPassed =
  (check: OptionCheck): OptionCheck =>
  (value, path, issues) => {
    if (value !== undefined) check(value, path, issues);
  };
const toolNames = optional(
  'an array of tool names',
  (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
);
const isTimeZone = optional('an IANA time zone, for example Europe/Berlin', (zone) => {
  try {
    return typeof zone === 'string' && zone !== '' && Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
});
const optionsCheck = optionsOf<ToolsOptions>('an option of createTools', {
  client: present(isObject),
  publisher: ifPassed(hasMethods('a publisher', 'publish', 'resume', 'resolve', 'retryFailed', 'get', 'list')),
  store: ifPassed(hasMethods('a DurableStore', 'get', 'insert', 'swap')),
  mode: oneOf('draft', 'schedule', 'publish'),
  approve: isFunction,
  maxCredits: isWhole({ least: 0 }),
  timeZone: isTimeZone,
  include: toolNames,
  exclude: toolNames,
});

/**
 * Creates the tools for an agent. Every write has a key: the same call again, in any process, is executed once. Drafts need
 * no approval; stronger writes ask the user first, see `mode` and `approve`.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store });
 * const tools = createTools({ client, publisher, store, mode: 'draft' });
 * ```
 * @throws {@link ConfigurationError} an option is invalid
 */
export function createTools(options: ToolsOptions): Tool[] {
  checkConfiguration(optionsCheck, options);
  const { client, mode = 'draft', timeZone = 'UTC', approve, include, exclude = [] } = options;
  const context: ToolContext = { client, mode, timeZone, now: () => timeOf(client) };
  const made: Tool[] = [];
  const add = <Fields extends InputFields>(definition: ToolDefinition<Fields>) => {
    made.push(defineTool(definition, approve));
  };
  add(listAccounts(context));
  add(accountsNeedingAttention(context));
  const wanted = (include ?? made.map(({ name }) => name)).filter((name) => !exclude.includes(name));
  return made.filter(({ name }) => wanted.includes(name));
}
