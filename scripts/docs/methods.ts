/** The API of the package, from the endpoint values, the prototypes of the resources and the main entry. */
import * as entry from '../../src/index.js';
import type { Endpoint } from '../../src/core/endpoint.js';
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

/** The method with its own operation that each helper calls, or `undefined` if it sends nothing. */
const helpers: Readonly<Record<string, string | undefined>> = {
  'posts.reconcile': 'posts.list',
  'posts.createMany': 'posts.create',
  'posts.watch': 'posts.list',
  'posts.waitUntilFinal': 'posts.list',
  'analytics.planInstagramInsights': undefined,
  'analytics.getInstagramInsightsOver': 'analytics.getInstagramInsights',
  'integrations.needingAttention': 'integrations.get',
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
    return { name, guide: guideOf(name), operation: method === 'request' ? 'any other operation' : '', cost: '' };
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
  if (!(name in helpers)) throw new Error(`scripts/docs/methods.ts does not tell what ${name} calls.`);
  const called = helpers[name];
  const endpoint = called === undefined ? undefined : endpointOf(called);
  if (called === undefined || endpoint === undefined) return { name, guide, operation: 'sends nothing', cost: '' };
  return { name, guide, operation: `calls \`${called}\``, cost: costOf(endpoint) };
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

export function methodTables(): string {
  const link = (guide: string) => `[${guide}](docs/${guide}.md)`;
  const methods = readMethods().map(
    ({ name, operation, guide, cost }) => `| \`${name}\` | ${operation} | ${link(guide)} | ${cost} |`,
  );
  const functions = readFunctions();
  const rows = [...new Set(functions.map(({ guide }) => guide))].map((guide) => {
    const names = functions.filter((one) => one.guide === guide).map(({ name }) => `\`${name}\``);
    return `| ${names.join(', ')} | ${link(guide)} |`;
  });
  return [
    '| method | operation | guide | cost |',
    '|---|---|---|---|',
    ...methods,
    '',
    'If the cost is empty, the API document does not show a cost. A draft costs no credits.',
    '',
    '| function | guide |',
    '|---|---|',
    ...rows,
  ].join('\n');
}
