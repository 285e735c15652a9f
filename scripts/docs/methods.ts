/** The API of the package, from the endpoint values, the prototypes of the resources and the main entry. */
import * as entry from '../../src/index.js';
import type { Endpoint } from '../../src/core/call/endpoint.js';
import { endpoints } from '../../src/resources/endpoints.js';

type Resource = keyof typeof endpoints;

const classes: Readonly<Record<Resource, { readonly prototype: object }>> = {
  posts: entry.PostsResource,
  comments: entry.CommentsResource,
  messages: entry.MessagesResource,
  automations: entry.AutomationsResource,
  analytics: entry.AnalyticsResource,
  notifications: entry.NotificationsResource,
  integrations: entry.IntegrationsResource,
  apps: entry.AppsResource,
};

interface Helper {
  /** The method with its own operation that the helper calls. Missing: it sends nothing. */
  readonly calls?: string;
  readonly purpose: string;
}

/** The methods that have no operation of their own. */
const helpers: Readonly<Record<string, Helper>> = {
  'posts.reconcile': { calls: 'posts.list', purpose: 'searches for the post of a create whose outcome is unknown' },
  'posts.createMany': { calls: 'posts.create', purpose: 'creates many posts, several at a time' },
  'posts.watch': {
    calls: 'posts.list',
    purpose: 'yields each post when its status is final: published, partial or failed',
  },
  'posts.waitUntilFinal': { calls: 'posts.list', purpose: 'waits until a post is final' },
  'analytics.planInstagramInsights': { purpose: 'splits a long range of dates, and returns the cost. Sends nothing' },
  'analytics.getInstagramInsightsOver': {
    calls: 'analytics.getInstagramInsights',
    purpose: 'reads a long range of dates',
  },
  'integrations.needingAttention': {
    calls: 'integrations.get',
    purpose: 'finds social accounts that need a new login',
  },
};

const clientMethods: Readonly<Record<string, string>> = {
  request: 'calls any other operation',
  withOptions: 'returns a client with other options',
  withBudget: 'returns a client with a limit of credits',
};

/** The guide that explains each method and each function, by the name of its file. */
const guides: Readonly<Record<string, string>> = {
  'posts.create': 'first-post',
  'posts.list': 'scheduling',
  'posts.updateScheduled': 'scheduling',
  'posts.reconcile': 'errors',
  'posts.createMany': 'rate-limits',
  'posts.watch': 'results',
  'posts.waitUntilFinal': 'results',
  'comments.list': 'comments-automations-messages',
  'messages.listConversations': 'comments-automations-messages',
  'messages.list': 'comments-automations-messages',
  'messages.send': 'comments-automations-messages',
  'automations.create': 'comments-automations-messages',
  'automations.list': 'comments-automations-messages',
  'automations.listEligiblePosts': 'comments-automations-messages',
  'automations.listLogs': 'comments-automations-messages',
  'analytics.getPost': 'analytics',
  'analytics.listPosts': 'analytics',
  'analytics.getInstagramInsights': 'analytics',
  'analytics.planInstagramInsights': 'analytics',
  'analytics.getInstagramInsightsOver': 'analytics',
  'notifications.create': 'webhooks',
  'integrations.list': 'accounts',
  'integrations.needingAttention': 'accounts',
  'integrations.get': 'accounts',
  'integrations.update': 'accounts',
  'integrations.selectFacebookPages': 'accounts',
  'integrations.selectInstagramAccounts': 'accounts',
  'apps.create': 'accounts',
  'client.request': 'media-and-extras',
  'client.withOptions': 'errors',
  'client.withBudget': 'analytics',
  targetResults: 'results',
  retryFailed: 'results',
  outcomeOf: 'errors',
  isFinalStatus: 'results',
  isKnownPostStatus: 'results',
  targetOf: 'accounts',
  isKnownPlatform: 'accounts',
  zonedTime: 'scheduling',
  preflight: 'scheduling',
  responseOf: 'media-and-extras',
  splitDateRange: 'analytics',
  isPostMetric: 'analytics',
  isInstagramMetric: 'analytics',
  isCommentPlatform: 'comments-automations-messages',
  logHooks: 'logging',
  verifyWebhook: 'webhooks',
  signWebhook: 'webhooks',
  createWebhookReceiver: 'webhooks',
  isStale: 'webhooks',
};

export interface Offered {
  /** For example `posts.create` or `zonedTime`. */
  readonly name: string;
  /** The guide that explains it, by the name of its file. */
  readonly guide: string;
}

export interface Method extends Offered {
  /** Its route, or what it does if it has no operation of its own. */
  readonly operation: string;
  readonly cost: string;
}

function guideOf(name: string): string {
  const guide = guides[name];
  if (guide === undefined) throw new Error(`scripts/docs/methods.ts names no guide for ${name}.`);
  return guide;
}

const ownMethods = (prototype: object) =>
  Object.getOwnPropertyNames(prototype).filter(
    (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
  );

/** Every method of the client and of its eight resources. */
export function readMethods(): readonly Method[] {
  const ofResources = Object.entries(classes).flatMap(([resource, { prototype }]) =>
    ownMethods(prototype).map((method) => resourceMethod(`${resource}.${method}`)),
  );
  const ofClient = ownMethods(entry.SocialPublishing.prototype).map((method) => {
    const name = `client.${method}`;
    const operation = clientMethods[method];
    if (operation === undefined) throw new Error(`scripts/docs/methods.ts does not say what ${name} does.`);
    return { name, guide: guideOf(name), operation, cost: '' };
  });
  return [...ofResources, ...ofClient];
}

function resourceMethod(name: string): Method {
  const guide = guideOf(name);
  const own = endpointOf(name);
  if (own !== undefined) {
    const note = own.deprecated === true ? ' (deprecated by the service)' : selectionOf(own);
    return { name, guide, operation: `\`${own.route}\`${note}`, cost: costOf(own) };
  }
  const helper = helpers[name];
  if (helper === undefined) throw new Error(`scripts/docs/methods.ts does not say what ${name} does.`);
  const called = helper.calls === undefined ? undefined : endpointOf(helper.calls);
  return { name, guide, operation: helper.purpose, cost: called === undefined ? '' : costOf(called) };
}

/** Returns the query field that distinguishes two operations of one route. */
function selectionOf({ selectedBy }: Endpoint): string {
  return selectedBy === undefined ? '' : ` ${selectedBy.present ? 'with' : 'without'} \`${selectedBy.query}\``;
}

function endpointOf(name: string): Endpoint | undefined {
  const [resource = '', method = ''] = name.split('.');
  return (endpoints as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>)[resource]?.[method];
}

function costOf({ credits, retry }: Endpoint): string {
  if (credits === undefined) return '';
  return `${credits} credit per ${retry === 'paid_per_success' ? 'successful call' : 'call'}`;
}

/** Every function of the main entry; classes are named with what throws or takes them. */
export function readFunctions(): readonly Offered[] {
  return Object.entries(entry)
    .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value)))
    .map(([name]) => ({ name, guide: guideOf(name) }))
    .sort((a, b) => a.guide.localeCompare(b.guide) || a.name.localeCompare(b.name));
}

/** The tables of docs/client.md. */
export function methodTables(): string {
  const link = ({ name, guide }: Offered) => `[\`${name}\`](${guide}.md)`;
  const methods = readMethods().map(
    (method) => `| ${link(method)} | ${method.operation}${method.cost === '' ? '' : ` (${method.cost})`} |`,
  );
  return [
    'Each name links to its guide.',
    '',
    '| method | operation, or what the method does |',
    '|---|---|',
    ...methods,
    '',
    'A draft costs no credits. If this table shows no cost, the API document does not state a cost.',
    '',
    'You can import these functions from `social-publishing`:',
    '',
    `${readFunctions().map(link).join(', ')}.`,
  ].join('\n');
}
