/** The rows of "Choices" in docs/emulator.md that concern each operation, by their first cell. */

const dates = ['how the days of a date range are counted', 'a date range without a start'];
const cursors = ['last page of a list with cursors', 'an unknown cursor'];
const newestFirst = 'order of comments, conversations, messages, logs, eligible posts';
const selection = [
  'whether the selection operations need the key',
  'a selection without accounts, or with accounts that the token does not offer',
  'a selected account that is connected already',
];
const integrationFields = [
  '`app` of an integration',
  'profiles',
  'other values of `authStatus`',
  'expiry of a token',
  'times of a token that the emulator refreshes',
];

export const choicesOf: Readonly<Record<string, readonly string[]>> = {
  'posts.create': [
    'none or several of `saveAsDraft`, `publishNow`, `scheduledFor`',
    'unknown accounts in a draft',
    '`scheduledFor` in the past',
    'a date-time without an offset',
    'how long publishing takes',
    'media, time zone and crossposting in a request',
    'text for one target',
    '`size` of a media item',
    '`success` of a target in the reply of `posts.create`',
    'price of a publication',
    'maximum lengths of texts',
  ],
  'posts.list': [
    'the field and the default of `sort` in the list of posts',
    'bounds of `createdAfter`, `createdBefore`, `scheduledAfter`, `scheduledBefore`',
    'posts of profile `null`',
    'status of a target',
    'transitions to `pending` and from `draft`',
    'how soon a created post is listed',
  ],
  'posts.updateScheduled': ['effect of an edit', 'price of a publication'],
  'comments.list': [newestFirst, 'comments of a post without seeded comments', ...cursors],
  'messages.listConversations': [newestFirst, ...cursors],
  'messages.list': [newestFirst, ...cursors],
  'messages.send': ['required fields of a message', 'a message to a user without a conversation'],
  'automations.create': [
    'required fields of an automation',
    '`matchMode`, `excludeKeywords`, `platformPostId`, `postPermalink`, `postId`, `status`, `postScope` in a request',
    '`postScope`',
    'how keywords match',
    'an automation without keywords',
    'how `excludeKeywords` match',
    'when automations run',
  ],
  'automations.list': ['order of automations', '`status` of an automation that runs', '`stats` of an automation'],
  'automations.listEligiblePosts': [newestFirst, 'eligible posts in a page', ...cursors],
  'automations.listLogs': [
    newestFirst,
    'default `limit` of logs',
    'other `status` and `publicReplyStatus` of a log entry',
    'when a run fails',
  ],
  'analytics.getPost': [
    'credits of a refused analytics call',
    "default `source` of a single post's analytics",
    "date range, and parameters of the list, in a single post's analytics",
    '`aggregated`',
  ],
  'analytics.listPosts': [
    'credits of a refused analytics call',
    'default `source` of the list of post analytics',
    'default `order` of post analytics',
    '`accountId` and `platform` in post analytics',
    'list of post analytics',
    'order of the list of post analytics',
    ...dates,
  ],
  'analytics.getInstagramInsights': [
    'credits of a refused analytics call',
    'values of `breakdown`',
    '`dataDelay`',
    ...dates,
  ],
  'notifications.create': [
    'required fields of a subscription',
    '`profileId`, `onlyScheduledPosts`, `enabled`, `email` in a request',
    'valid email recipients',
    'form of a signing secret',
  ],
  'integrations.list': [
    'error form of the integrations list, and of unknown paths',
    '`sortBy` of integrations',
    ...integrationFields,
  ],
  'integrations.get': integrationFields,
  'integrations.update': ['profiles'],
  'integrations.selectFacebookPages': selection,
  'integrations.selectInstagramAccounts': selection,
  'apps.create': ['required fields of `apps.create`'],
};
