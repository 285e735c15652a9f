import type * as z from 'zod/mini';
import type { Endpoint, ObjectSchema } from '../../core/endpoint.js';
import { formatIssue, type Issue } from '../../core/errors.js';
import { analyticsEndpoints } from '../../resources/analytics.js';
import { appEndpoints } from '../../resources/apps.js';
import { automationEndpoints } from '../../resources/automations.js';
import { commentEndpoints } from '../../resources/comments.js';
import { integrationEndpoints } from '../../resources/integrations.js';
import { messageEndpoints } from '../../resources/messages.js';
import { notificationEndpoints } from '../../resources/notifications.js';
import { postEndpoints } from '../../resources/posts.js';
import { describeIssues } from '../../schema/issues.js';
import { fromWire, unwrap } from '../../schema/wire.js';
import { analyticsBehaviours } from '../handlers/analytics.js';
import { appBehaviours } from '../handlers/apps.js';
import { automationBehaviours } from '../handlers/automations.js';
import { Refusal, type Behaviours, type Call, type Service } from '../handlers/behaviour.js';
import { day } from '../service/time.js';
import { commentBehaviours } from '../handlers/comments.js';
import { integrationBehaviours } from '../handlers/integrations.js';
import { messageBehaviours } from '../handlers/messages.js';
import { notificationBehaviours } from '../handlers/notifications.js';
import { postBehaviours } from '../handlers/posts.js';
import { compileRoute, matchRoute, servicePath, type Pattern } from './route.js';

/** A request as it came, its body read. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface RouterOptions {
  readonly accessKeys: readonly string[] | null;
  readonly selectionNeedsKey: boolean;
}

interface Operation {
  readonly endpoint: Endpoint;
  readonly behaviour: (service: Service, call: Call<unknown, unknown>) => unknown;
  readonly pattern: Pattern;
}

/** Pairs each endpoint with its behaviour. */
function operations<Endpoints extends object>(endpoints: Endpoints, behaviours: Behaviours<Endpoints>): Operation[] {
  // `Behaviours` holds each pair's types together; a list of all operations can only hold what they have in common.
  const entries = Object.entries(endpoints) as [keyof Endpoints, Endpoint][];
  return entries.map(([name, endpoint]) => {
    const behaviour: unknown = behaviours[name];
    return { endpoint, behaviour: behaviour as Operation['behaviour'], pattern: compileRoute(endpoint.route) };
  });
}

/** Answers requests: key check, the endpoint's own schemas, the behaviour, and the endpoint's own schema once more. */
export class Router {
  readonly #service: Service;
  readonly #options: RouterOptions;
  readonly #operations: readonly Operation[] = [
    ...operations(postEndpoints, postBehaviours),
    ...operations(commentEndpoints, commentBehaviours),
    ...operations(messageEndpoints, messageBehaviours),
    ...operations(automationEndpoints, automationBehaviours),
    ...operations(analyticsEndpoints, analyticsBehaviours),
    ...operations(notificationEndpoints, notificationBehaviours),
    ...operations(integrationEndpoints, integrationBehaviours),
    ...operations(appEndpoints, appBehaviours),
  ];

  constructor(service: Service, options: RouterOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** The routes of all operations. */
  get routes(): string[] {
    return this.#operations.map(({ endpoint }) => endpoint.route);
  }

  /** The operation that a request asks for, where there is one. */
  endpointOf(request: IncomingRequest): Endpoint | undefined {
    return this.#find(request)?.operation.endpoint;
  }

  answer(request: IncomingRequest, listingLagMs = 0): Answer {
    const found = this.#find(request);
    if (found === undefined)
      return refuse('message', new Refusal(404, `There is no ${request.method} ${servicePath(request.url)}.`));
    const { endpoint, behaviour } = found.operation;
    try {
      this.#checkKey(endpoint, request.headers.get('x-access-key'));
      // A call of post analytics costs, be it refused or not; one of the insights costs where it succeeds (Limits, Credits).
      const { state } = this.#service.store;
      if (endpoint.retry === 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      const call = { ...readCall(endpoint, found.params, request, this.#service.clock.now()), listingLagMs };
      const reply = behaviour(this.#service, call);
      checkReply(endpoint, reply);
      if (endpoint.retry !== 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      return { status: 200, body: reply };
    } catch (error) {
      if (error instanceof Refusal) return refuse(endpoint.errorForm, error);
      throw error;
    }
  }

  #find(request: IncomingRequest): { operation: Operation; params: Record<string, string> } | undefined {
    const path = servicePath(request.url);
    for (const operation of this.#operations) {
      const { selectedBy } = operation.endpoint;
      if (selectedBy !== undefined && request.url.searchParams.has(selectedBy.query) !== selectedBy.present) continue;
      const encoded = matchRoute(operation.pattern, request.method, path);
      if (encoded === undefined) continue;
      const params = decodeAll(encoded);
      if (params !== undefined) return { operation, params };
    }
    return undefined;
  }

  #checkKey(endpoint: Endpoint, key: string | null): void {
    const { accessKeys, selectionNeedsKey } = this.#options;
    if (accessKeys === null) return;
    if (!selectionNeedsKey && endpoint.route.includes('/selection/')) return;
    if (key === null || key === '') throw new Refusal(401, 'The access key is missing.');
    if (!accessKeys.includes(key)) throw new Refusal(401, 'The access key is not valid.');
  }
}

function refuse(form: 'message' | 'error', refusal: Refusal): Answer {
  const body = form === 'message' ? { success: false, message: refusal.message } : { error: refusal.message };
  return { status: refusal.status, body };
}

function decodeAll(params: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

function readCall(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  request: IncomingRequest,
  now: number,
): Omit<Call<unknown, unknown>, 'listingLagMs'> {
  const issues: Issue[] = [];
  for (const [name, { minLength, maxLength }] of Object.entries(endpoint.params ?? {})) {
    const { length } = params[name] ?? '';
    if (length < (minLength ?? 0))
      issues.push({ path: [name], message: `must have at least ${String(minLength)} characters` });
    if (length > (maxLength ?? Infinity))
      issues.push({ path: [name], message: `must have at most ${String(maxLength)} characters` });
  }
  const query =
    endpoint.query === undefined
      ? undefined
      : readQuery(endpoint, endpoint.query(), request.url.searchParams, now, issues);
  const body = endpoint.body === undefined ? undefined : readBody(endpoint.body(), request.body, issues);
  if (issues.length > 0) throw new Refusal(400, `The request is not valid: ${issues.map(formatIssue).join('; ')}`);
  return {
    param(name) {
      const value = params[name];
      if (value === undefined) throw new Error(`${endpoint.route} has no path parameter ${name}.`);
      return value;
    },
    query: query?.known,
    extraQuery: (query?.extra ?? {}) as Record<string, string>,
    body: body?.known,
    extraBody: body?.extra ?? {},
  };
}

interface Fields {
  readonly known: Record<string, unknown>;
  readonly extra: Record<string, unknown>;
}

/** Reads a query string along the schema: numbers, arrays, and `null` where the API document gives it a meaning. */
function readQuery(
  endpoint: Endpoint,
  schema: ObjectSchema,
  search: URLSearchParams,
  now: number,
  issues: Issue[],
): Fields {
  const known: Record<string, unknown> = { ...endpoint.defaults };
  const extra: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field === undefined) {
      extra[name] = values[0];
    } else {
      known[name] = readParameter(field, values);
      if (Array.isArray(known[name]) || values.length === 1) continue;
      issues.push({ path: [name], message: 'must be given once' });
    }
  }
  // The range of a query without an end is checked against the emulator's day, not the computer's.
  const checked = { ...known };
  for (const [from, to] of openRanges) if (checked[from] !== undefined) checked[to] ??= day(now);
  issues.push(...check(schema, checked));
  return { known, extra };
}

const openRanges = [
  ['fromDate', 'toDate'],
  ['since', 'until'],
] as const;

function readParameter(field: z.core.$ZodType, values: readonly string[]): unknown {
  const { schema, nullable } = unwrap(field);
  const { type } = schema._zod.def;
  if (type === 'array') return values;
  const value = values[0] ?? '';
  if (nullable && value === 'null') return null;
  if (type === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  return value;
}

function readBody(schema: ObjectSchema, text: string, issues: Issue[]): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The request body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refusal(400, 'The request body is not a JSON object.');
  }
  issues.push(...check(schema, body));
  const known: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    // Set as own properties whatever their names are, `__proto__` included.
    const to = Object.hasOwn(schema.shape, name) ? known : extra;
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { known, extra };
}

/** What is wrong with a request. Fields that the schema doesn't know are not: the API document doesn't show all of them. */
function check(schema: ObjectSchema, value: unknown): Issue[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return describeIssues(result.error.issues.filter((issue) => issue.code !== 'unrecognized_keys' && !isOpen(issue)));
}

/** Values of these are shown by example only, so a request may try others. */
const openFields: readonly PropertyKey[] = ['postScope'];

function isOpen(issue: z.core.$ZodIssue): boolean {
  const [field] = issue.path;
  return issue.code === 'invalid_value' && issue.path.length === 1 && field !== undefined && openFields.includes(field);
}

/** A reply that breaks the document is a mistake of the emulator, not of the caller. */
function checkReply(endpoint: Endpoint, reply: unknown): void {
  const issues: Issue[] = [];
  const schema = endpoint.response();
  fromWire(schema, reply, ({ path, expected, received }) => {
    issues.push({ path, message: `must be ${expected}, is ${received}` });
  });
  const result = schema.safeParse(reply);
  if (!result.success) issues.push(...describeIssues(result.error.issues));
  if (issues.length > 0)
    throw new Error(`The emulator's own reply to ${endpoint.route} is wrong: ${issues.map(formatIssue).join('; ')}`);
}
