import type { RequestRecord } from './requests.js';

type Call = Pick<RequestRecord, 'method' | 'url' | 'path' | 'route' | 'query' | 'headers' | 'body'>;

/** The client's method for each route; where arguments come from is told by what the route has. */
const methods: Readonly<Record<string, string>> = {
  'POST /v1/posts/': 'posts.create',
  'GET /v1/posts/': 'posts.list',
  'PUT /v1/posts/scheduled/{postId}': 'posts.updateScheduled',
  'GET /v1/comments/': 'comments.list',
  'GET /v1/messages/': 'messages.listConversations',
  'GET /v1/messages/{conversationId}': 'messages.list',
  'POST /v1/messages/': 'messages.send',
  'POST /v1/comment-automations/': 'automations.create',
  'GET /v1/comment-automations/': 'automations.list',
  'GET /v1/comment-automations/posts': 'automations.listEligiblePosts',
  'GET /v1/comment-automations/{id}/logs': 'automations.listLogs',
  'GET /v1/analytics/': 'analytics.listPosts',
  'GET /v1/analytics/instagram/account-insights': 'analytics.getInstagramInsights',
  'POST /v1/notifications/': 'notifications.create',
  'GET /v1/connect/integrations': 'integrations.list',
  'GET /v1/connect/integrations/{id}': 'integrations.get',
  'PATCH /v1/connect/integrations/{id}': 'integrations.update',
  'POST /v1/connect/facebook/selection/{token}': 'integrations.selectFacebookPages',
  'POST /v1/connect/instagram/selection/{token}': 'integrations.selectInstagramAccounts',
  'POST /v1/apps/': 'apps.create',
};

/** The routes of the API document, for choosing one. */
export const routes: readonly string[] = Object.keys(methods);

/** Query parameters whose values are numbers in the client's types. */
const numbers: readonly string[] = ['limit', 'offset', 'skip', 'page'];

/** The call in TypeScript, with this package. */
export function asTypeScript(call: Call): string {
  const client = `import { SocialPublishing } from 'social-publishing';

const client = new SocialPublishing({ baseUrl: '${new URL(call.url).origin}', accessKey: process.env.ACCESS_KEY });
`;
  return `${client}${statement(call)}\n`;
}

function statement(call: Call): string {
  const { method, path, route, query, body } = call;
  const name = methods[route ?? ''];
  if (route === undefined || name === undefined) {
    const input = [
      ...(isEmpty(query) ? [] : [`query: ${literal(query)}`]),
      ...(body === undefined ? [] : [`body: ${literal(body)}`]),
    ];
    return `await client.request('${method} ${path}'${input.length === 0 ? '' : `, { ${input.join(', ')} }`});`;
  }
  const typed = typedQuery(query);
  const { postId, ...rest } = typed;
  // One route, two operations: a query with a post is about that post.
  if (route === 'GET /v1/analytics/' && postId !== undefined)
    return `await client.analytics.getPost(${argumentsOf([postId, rest])});`;
  return `await client.${name}(${argumentsOf([...paramsOf(route, path), method === 'GET' ? typed : body])});`;
}

function argumentsOf(values: readonly unknown[]): string {
  return values
    .filter((value) => value !== undefined && !isEmpty(value))
    .map(literal)
    .join(', ');
}

/** The values of a route's `{names}`, in their order. */
function paramsOf(route: string, path: string): readonly string[] {
  const template = route.slice(route.indexOf(' ') + 1).split('/');
  // A base path may stand before the route's own.
  const segments = path.split('/').slice(-template.length);
  return template.flatMap((name, index) => (name.startsWith('{') ? [decodeURIComponent(segments[index] ?? '')] : []));
}

function typedQuery(query: Call['query']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A value as TypeScript has it. */
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

/** The call as a line of a shell. The key stands in a variable. */
export function asCurl({ method, url, body }: Call): string {
  const lines = [`curl -X ${method} ${quoted(url)}`, '-H "x-access-key: $ACCESS_KEY"'];
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'");
    lines.push(`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** Within single quotes a shell reads nothing but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
