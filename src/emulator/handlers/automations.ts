import {
  automationSchema,
  type Automation,
  type AutomationLog,
  type automationEndpoints,
} from '../../resources/automations.js';
import { account } from './integrations.js';
import { ErrorReply, parsedRequest, type Handlers, cursorPage, newestFirst, slice } from './handler.js';
import { timestamp } from '../state/time.js';
import type { Store } from '../state/store.js';

// Not documented, like the other default.
const defaultLogLimit = 20;
const eligiblePostsPerPage = 25;

export const automationHandlers: Handlers<typeof automationEndpoints> = {
  create({ store, clock }, { body, extraBody }) {
    const { accountId, name, postScope = 'any', keywords = [], publicReplies = [], dmMessage } = body;
    if (accountId === undefined) throw new ErrorReply(400, 'An automation needs an accountId.');
    const { platform } = account(store, accountId);
    const now = timestamp(clock.now());
    const {
      matchMode = 'exact',
      excludeKeywords = [],
      platformPostId,
      postPermalink,
      postId,
      status = 'active',
    } = extraBody;
    const draft = {
      id: 'new',
      accountId,
      platform,
      name,
      status,
      trigger: { postScope, platformPostId, postPermalink, postId, keywords, matchMode, excludeKeywords },
      actions: { publicReplies, dmMessage },
      createdAt: now,
      updatedAt: now,
    };
    const checked = parsedRequest(automationSchema(), draft);
    const automation: Automation = { ...checked, id: store.id('automation') };
    store.state.automations.set(automation.id, automation);
    return { success: true, automation: shownAutomation(store, automation) };
  },

  list({ store }, { query }) {
    const automations = [...store.state.automations.values()];
    const wanted = automations.filter(({ accountId }) => (query.accountId ?? accountId) === accountId);
    return { success: true, automations: wanted.map((automation) => shownAutomation(store, automation)) };
  },

  listEligiblePosts({ store }, { query }) {
    account(store, query.accountId);
    const posts = newestFirst(store.state.eligiblePosts.get(query.accountId) ?? [], ({ timestamp: at }) => at);
    const { items, ...next } = cursorPage(posts, { limit: eligiblePostsPerPage, after: query.after });
    return { success: true, posts: items, ...next };
  },

  listLogs({ store }, { param, query }) {
    const id = param('id');
    if (!store.state.automations.has(id)) throw new ErrorReply(404, 'The automation does not exist.');
    const { status, limit = defaultLogLimit, skip = 0 } = query;
    const logs = logsOf(store, id).filter((log) => (status ?? log.status) === log.status);
    const page = slice(logs, skip, limit);
    const total = logs.length;
    return { success: true, logs: page, pagination: { total, limit, skip, hasMore: skip + page.length < total } };
  },
};

function logsOf({ state }: Store, automationId: string): AutomationLog[] {
  return newestFirst(state.logs.get(automationId) ?? [], ({ createdAt }) => createdAt);
}

/** Returns an automation with the totals of its log. */
export function shownAutomation(store: Store, automation: Automation): Automation {
  const logs = logsOf(store, automation.id);
  const failed = logs.filter((log) => log.error !== undefined);
  const succeeded = logs.filter((log) => log.error === undefined && log.status !== 'running');
  const [last] = logs;
  const [lastFailed] = failed;
  const counted = {
    triggered: logs.length,
    succeeded: succeeded.length,
    failed: failed.length,
    ...(last?.createdAt === undefined ? {} : { lastRunAt: last.createdAt }),
    ...(lastFailed?.error === undefined ? {} : { lastError: lastFailed.error }),
  };
  return { ...automation, stats: { ...counted, ...automation.stats } };
}
