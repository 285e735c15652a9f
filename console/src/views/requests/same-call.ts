import { decoded } from './decoded.js';
import type { RequestRecord } from './requests.js';

type RecordedCall = Pick<RequestRecord, 'method' | 'url' | 'path' | 'route' | 'query' | 'headers' | 'body'>;

/** The client's method for each route, with its query or body fields. */
const operations: Readonly<Record<string, { readonly method: string; readonly fields: string }>> = {
  'POST /v1/posts/': { method: 'posts.create', fields: 'content platforms saveAsDraft publishNow scheduledFor' },
  'GET /v1/posts/': {
    method: 'posts.list',
    fields: 'status platform profileId createdAfter createdBefore scheduledAfter scheduledBefore limit offset sort',
  },
  'PUT /v1/posts/scheduled/{postId}': { method: 'posts.updateScheduled', fields: 'content platforms' },
  'GET /v1/comments/': { method: 'comments.list', fields: 'platform accountId postId limit after' },
  'GET /v1/messages/': { method: 'messages.listConversations', fields: 'platform accountId limit after' },
  'GET /v1/messages/{conversationId}': { method: 'messages.list', fields: 'platform accountId limit after' },
  'POST /v1/messages/': { method: 'messages.send', fields: 'platform accountId recipientId text' },
  'POST /v1/comment-automations/': {
    method: 'automations.create',
    fields: 'accountId name postScope keywords publicReplies dmMessage',
  },
  'GET /v1/comment-automations/': { method: 'automations.list', fields: 'accountId' },
  'GET /v1/comment-automations/posts': { method: 'automations.listEligiblePosts', fields: 'accountId after' },
  'GET /v1/comment-automations/{id}/logs': { method: 'automations.listLogs', fields: 'status limit skip' },
  'GET /v1/analytics/': {
    method: 'analytics.listPosts',
    fields: 'postId platform accountId source fromDate toDate sortBy order limit page',
  },
  'GET /v1/analytics/instagram/account-insights': {
    method: 'analytics.getInstagramInsights',
    fields: 'accountId metrics since until metricType breakdown',
  },
  'POST /v1/notifications/': { method: 'notifications.create', fields: 'channel eventTypes webhook' },
  'GET /v1/connect/integrations': {
    method: 'integrations.list',
    fields: 'platform profileId q limit offset sortBy sort',
  },
  'GET /v1/connect/integrations/{id}': { method: 'integrations.get', fields: '' },
  'PATCH /v1/connect/integrations/{id}': { method: 'integrations.update', fields: 'profileId' },
  'POST /v1/connect/facebook/selection/{token}': {
    method: 'integrations.selectFacebookPages',
    fields: 'selectedAccountIds',
  },
  'POST /v1/connect/instagram/selection/{token}': {
    method: 'integrations.selectInstagramAccounts',
    fields: 'selectedAccountIds',
  },
  'POST /v1/apps/': { method: 'apps.create', fields: 'platform name clientId clientSecret' },
};

/** The same call to the emulator that serves this page. A record of the demo or of an imported state names another one. */
export function callHere<Call extends RecordedCall>(call: Call): Call {
  const { pathname, search } = new URL(call.url);
  return { ...call, url: `${location.origin}${pathname}${search}` };
}

/** The routes of the API document, to choose from. */
export const routes: readonly string[] = Object.keys(operations);

/** Query parameters whose values are numbers in the client's types. */
const numbers: readonly string[] = ['limit', 'offset', 'skip', 'page'];

/** Returns the call in TypeScript, with this package. */
export function asTypeScript(call: RecordedCall): string {
  const client = `import { SocialPublishing } from 'social-publishing';

// The access key is in SOCIAL_PUBLISHING_ACCESS_KEY.
const client = new SocialPublishing({ baseUrl: '${new URL(call.url).origin}' });
`;
  return `${client}${statement(call)}\n`;
}

function statement(call: RecordedCall): string {
  const { method, path, route, query, body } = call;
  const operation = operations[route ?? ''];
  if (route === undefined || operation === undefined) return undocumented(call);
  const isRead = method === 'GET';
  const given = isRead ? typedQuery(query) : isObject(body) ? body : {};
  const [known, extra] = parted(given, operation.fields.split(' '));
  const extras = isEmpty(extra) ? undefined : { [isRead ? 'extraQuery' : 'extraBody']: extra };
  const { postId, ...rest } = known;
  // One route, two operations: a query with a post is about that post.
  if (route === 'GET /v1/analytics/' && postId !== undefined)
    return `await client.analytics.getPost(${argumentsOf([postId, rest, extras])});`;
  return `await client.${operation.method}(${argumentsOf([...paramsOf(route, path), known, extras])});`;
}

function undocumented({ method, path, query, body }: RecordedCall): string {
  const input = [
    ...(isEmpty(query) ? [] : [`query: ${literal(query)}`]),
    ...(body === undefined ? [] : [`body: ${literal(body)}`]),
  ];
  return `await client.request('${method} ${path}'${input.length === 0 ? '' : `, { ${input.join(', ')} }`});`;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Separates the method's documented fields from the undocumented ones. */
function parted(given: Fields, names: readonly string[]): readonly [known: Fields, extra: Fields] {
  const entries = Object.entries(given);
  return [
    Object.fromEntries(entries.filter(([name]) => names.includes(name))),
    Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
  ];
}

/** Formats arguments, without empty ones at the end. */
function argumentsOf(values: readonly unknown[]): string {
  const last = values.findLastIndex((value) => value !== undefined && !isEmpty(value));
  return values
    .slice(0, last + 1)
    .map((value) => literal(value ?? {}))
    .join(', ');
}

/** Returns the values of a route's `{names}`, in order. */
function paramsOf(route: string, path: string): readonly string[] {
  const template = route.slice(route.indexOf(' ') + 1).split('/');
  // A base path may precede the route.
  const segments = path.split('/').slice(-template.length);
  return template.flatMap((name, index) => (name.startsWith('{') ? [decoded(segments[index] ?? '')] : []));
}

function typedQuery(query: RecordedCall['query']): Fields {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Formats a value as TypeScript. */
function literal(value: unknown): string {
  return written(value, '');
}

function written(value: unknown, indent: string): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((item) => written(item, inner))
    : Object.entries(value).map(([name, item]) => `${nameLiteral(name)}: ${written(item, inner)}`);
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

function nameLiteral(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : textLiteral(name);
}

function textLiteral(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

/** Returns the call as a shell command. The key is in a variable. */
export function asCurl({ method, url, body }: RecordedCall): string {
  const lines = [`curl -X ${method} ${quoted(url)}`, '-H "x-access-key: $SOCIAL_PUBLISHING_ACCESS_KEY"'];
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'");
    lines.push(`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** In single quotes, a shell interprets only the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
