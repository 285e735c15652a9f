import type { Endpoint, ObjectSchema } from '../../core/call/endpoint.js';
import { formatIssues } from '../../core/errors.js';
import { issueAt } from '../../core/call/options.js';
import { checkInPlace, type Drift } from '../../schema/check.js';
import { describeIssues } from '../../schema/issues.js';
import { ErrorReply, type Service, type HandlerCall, type Handlers } from '../handlers/handler.js';
import type { IncomingRequest } from './request-record.js';
import { readCall } from './read-call.js';
import { allEndpoints, endpoints } from '../../resources/endpoints.js';
import { once } from '../../schema/fields.js';
import { analyticsHandlers } from '../handlers/analytics.js';
import { appHandlers } from '../handlers/apps.js';
import { automationHandlers } from '../handlers/automations.js';
import { commentHandlers } from '../handlers/comments.js';
import { integrationHandlers } from '../handlers/integrations.js';
import { messageHandlers } from '../handlers/messages.js';
import { notificationHandlers } from '../handlers/notifications.js';
import { postHandlers } from '../handlers/posts.js';

export interface ServiceReply {
  readonly status: number;
  readonly body: unknown;
}

export interface RouterOptions {
  readonly accessKeys: readonly string[] | null;
  readonly selectionNeedsKey: boolean;
}

/** Answers requests: checks the key and the request, calls the handler, and checks the reply. */
export class Router {
  readonly #service: Service;
  readonly #options: RouterOptions;
  readonly #operations: readonly ServedOperation[] = allOperations();

  constructor(service: Service, options: RouterOptions) {
    this.#service = service;
    this.#options = options;
  }

  endpointOf(request: IncomingRequest): Endpoint | undefined {
    return this.#find(request)?.endpoint;
  }

  answer(request: IncomingRequest, listingLagMs: number): ServiceReply {
    const found = this.#find(request);
    if (found === undefined) return errorBody(undefined, new ErrorReply(404, this.#notFound(request)));
    const { endpoint, handler, params } = found;
    try {
      this.#checkKey(endpoint, request.headers.get('x-access-key'));
      // A call of post analytics costs credits even if it is refused; a call of the insights only if it succeeds
      // (Limits, Credits).
      const { state } = this.#service.store;
      if (endpoint.retry === 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      const call = {
        ...readCall(endpoint, params, request, this.#service.clock.now(), this.#siblingQuery(endpoint)),
        listingLagMs,
      };
      const reply = handler(this.#service, call);
      checkReply(endpoint, reply);
      if (endpoint.retry !== 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      return { status: 200, body: reply };
    } catch (error) {
      if (error instanceof ErrorReply) return errorBody(endpoint.errorForm, error);
      throw error;
    }
  }

  #notFound(request: IncomingRequest): string {
    const path = servicePath(request.url);
    const message = `${request.method} ${path} does not exist.`;
    const hasSlash = path.endsWith('/');
    const other = hasSlash ? path.slice(0, -1) : `${path}/`;
    if (this.#find(request, other) === undefined) return message;
    return `${message} The path is ${other}, ${hasSlash ? 'without' : 'with'} a slash at the end.`;
  }

  #find(
    request: IncomingRequest,
    path = servicePath(request.url),
  ): (ServedOperation & { readonly params: Record<string, string> }) | undefined {
    for (const operation of this.#operations) {
      const { selectedBy } = operation.endpoint;
      if (selectedBy !== undefined && request.url.searchParams.has(selectedBy.query) !== selectedBy.present) continue;
      const encoded = matchRoute(operation.endpoint.route, request.method, path);
      if (encoded === undefined) continue;
      const params = decodeAll(encoded);
      if (params !== undefined) return { ...operation, params };
    }
    return undefined;
  }

  /** Returns the query of another endpoint with the same route: for the service, the two are one operation. */
  #siblingQuery(endpoint: Endpoint): ObjectSchema['shape'] {
    const sibling = this.#operations.find(
      (other) => other.endpoint !== endpoint && other.endpoint.route === endpoint.route,
    );
    return sibling?.endpoint.query?.().shape ?? {};
  }

  #checkKey(endpoint: Endpoint, key: string | null): void {
    const { accessKeys, selectionNeedsKey } = this.#options;
    if (accessKeys === null) return;
    if (!selectionNeedsKey && endpoint.selection === true) return;
    if (key === null || key === '') throw new ErrorReply(401, 'The access key is missing.');
    if (!accessKeys.includes(key)) throw new ErrorReply(401, 'The access key is not valid.');
  }
}

function errorBody(form: Endpoint['errorForm'], { status, message }: ErrorReply): ServiceReply {
  return { status, body: form === 'error' ? { error: message } : { success: false, message } };
}

function decodeAll(params: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** Returns the path parameters of a request that matches `METHOD /path/{param}`, still encoded. */
export function matchRoute(route: string, method: string, path: string): Record<string, string> | undefined {
  const [onlyMethod = '', template = ''] = route.split(' ', 2);
  if (onlyMethod.toUpperCase() !== method.toUpperCase()) return undefined;
  const [expected, segments] = [template.split('/'), path.split('/')];
  if (segments.length !== expected.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined ? segment !== part : segment === '') return undefined;
    if (name !== undefined) params[name] = segment;
  }
  return params;
}

const version = '/v1/';

/** The segment after the version, for each route of the service. */
const names = once(() => new Set(allEndpoints().map(({ route }) => nameAt(route, route.indexOf(version)))));

/** Returns the path from the service's `/v1/` on. A base URL may have a path that also contains `/v1/`. */
export function servicePath({ pathname }: URL): string {
  const first = pathname.indexOf(version);
  if (first === -1) return pathname;
  for (let at = pathname.lastIndexOf(version); at > first; at = pathname.lastIndexOf(version, at - 1))
    if (names().has(nameAt(pathname, at))) return pathname.slice(at);
  return pathname.slice(first);
}

function nameAt(path: string, at: number): string {
  return path.slice(at + version.length).split('/', 1)[0] ?? '';
}

export interface ServedOperation {
  readonly endpoint: Endpoint;
  readonly handler: (service: Service, call: HandlerCall<unknown, unknown>) => unknown;
}

/** The handlers of the eight resources. A missing handler does not compile. */
const handlers: { readonly [Name in keyof typeof endpoints]: Handlers<(typeof endpoints)[Name]> } = {
  posts: postHandlers,
  comments: commentHandlers,
  messages: messageHandlers,
  automations: automationHandlers,
  analytics: analyticsHandlers,
  notifications: notificationHandlers,
  integrations: integrationHandlers,
  apps: appHandlers,
};

export function allOperations(): ServedOperation[] {
  // `handlers` pairs the types of each endpoint and handler; a list of all operations loses the pairing.
  const groups = Object.entries(endpoints) as unknown as [keyof typeof endpoints, Record<string, Endpoint>][];
  return groups.flatMap(([resource, group]) => {
    const ofResource = handlers[resource] as unknown as Readonly<Record<string, ServedOperation['handler']>>;
    return Object.entries(group).flatMap(([name, endpoint]) => {
      const handler = ofResource[name];
      return handler === undefined ? [] : [{ endpoint, handler }];
    });
  });
}

/** Throws if a reply differs from the document: that is a bug of the emulator, not of the caller. */
function checkReply(endpoint: Endpoint, reply: unknown): void {
  const drifts: Drift[] = [];
  const result = checkInPlace(endpoint.response(), reply, drifts);
  const issues = result.success ? [] : describeIssues(result.error.issues, undefined, 'the reply');
  for (const { path, expected, received } of drifts) issues.push(issueAt(path, `must be ${expected}, is ${received}`));
  if (issues.length > 0)
    throw new Error(`The emulator's own reply to ${endpoint.route} is wrong: ${formatIssues(issues)}`);
}
