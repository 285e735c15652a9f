import type * as z from 'zod/mini';
import { endpointAt, type Endpoint, type ReadBody } from '../core/endpoint.js';
import { InvalidRequestError, type Issue, type Outcome } from '../core/errors.js';
import { isFields } from '../core/json.js';
import { isMilliseconds, isObject, isSignal, isWhole, issueAt, optionsOf, unchecked } from '../core/options.js';
import { longestTimerMs } from '../core/runtime.js';
import type { CallInput, CallWatcher, RequestOptions } from '../core/transport.js';
import { readArgument } from '../schema/read-argument.js';
import type { CallEvents, ReplyDrift } from './call-events.js';
import type { Settings } from './client-options.js';
import type { RecentKeys } from './context.js';
import { readHeaders, type PlainHeaders } from './headers.js';
import { writeBody } from './json-body.js';
import { redactor, type Redact } from '../core/redactor.js';
import { secretsIn, secretsOf } from './redact.js';
import { compilePath, fillPath, writeQuery } from './url.js';

type Fact = 'params' | 'credits' | 'readBody' | 'isSlow' | 'secrets' | 'carriedOut';

/** The facts of an endpoint that a call needs. A route that a caller wrote has no schemas. */
export type Operation = { readonly [Name in Fact]?: Endpoint[Name] | undefined } & Pick<Endpoint, 'retry'> & {
    readonly route: string;
    readonly query?: (() => z.core.$ZodType) | undefined;
    readonly body?: (() => z.core.$ZodType) | undefined;
  };

export type ReplyResult<Reply> =
  /** `body` returns the parsed JSON as it arrived. */
  | { readonly kind: 'read'; readonly value: Reply; readonly body: () => unknown }
  /** `success: false`. */
  | { readonly kind: 'refused'; readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'unreadable';
      readonly problem: string;
      readonly issues?: readonly Issue[];
      readonly cause?: unknown;
    };

/** A drift with its path as text, `*` for any index. */
export type DriftListener = (drift: Omit<ReplyDrift, 'route'>) => void;

export type ReplyReader<Reply> = (
  text: string,
  response: Response,
  onDrift: DriftListener | undefined,
) => ReplyResult<Reply> | Promise<ReplyResult<Reply>>;

export interface CallRequest<Reply> {
  readonly operation: Operation;
  /** `route`: the caller wrote the route, and nothing checks query and body. */
  readonly source: 'endpoint' | 'route';
  readonly input: CallInput | Readonly<{ params: CallInput['params']; query: object; body: unknown }>;
  readonly read: ReplyReader<Reply>;
  /** Mistakes that are already known. */
  readonly issues?: readonly Issue[];
}

export interface PreparedCall<Reply> {
  readonly operation: Operation;
  /** Method and path template, as in errors and hooks. */
  readonly at: { readonly method: string; readonly route: string };
  readonly url: string;
  readonly body: string | undefined;
  /** All headers except the key. */
  readonly headers: PlainHeaders;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
  readonly read: ReplyReader<Reply>;
  /** Hides secrets from errors: secrets of the request, added headers, these keys, and the filled URL. */
  readonly redactWith: (keys: RecentKeys, added: PlainHeaders | undefined) => Redact;
}

export interface CallProgress {
  /** Attempts passed to `fetch`. */
  attempts: number;
  outcome: Outcome;
  /** The reply of an attempt was lost or unreadable. */
  mayHaveSucceeded: boolean;
  credits: number;
  readonly watcher: CallWatcher | undefined;
  /** `undefined`: the client has no hooks. */
  events: CallEvents | undefined;
  /** Headers that hooks added to the newest attempt. */
  added: PlainHeaders | undefined;
}

const callOptions = optionsOf<RequestOptions>('an option of a call', {
  signal: isSignal,
  timeoutMs: isMilliseconds({ above: 0, orInfinity: true }),
  totalTimeoutMs: isMilliseconds({ above: 0, orInfinity: true }),
  maxRetries: isWhole({ least: 0, orInfinity: true }),
  headers: unchecked, // headersOf() reads them
  extraQuery: isObject,
  extraBody: isObject,
});

/**
 * Checks a call and writes its request.
 * @throws InvalidRequestError with every mistake
 */
export function prepareCall<Reply>(
  settings: Settings,
  request: CallRequest<Reply>,
  given: RequestOptions | undefined,
): PreparedCall<Reply> {
  const { operation, source, input, read } = request;
  const at = endpointAt(operation);
  const issues: Issue[] = [...(request.issues ?? [])];
  // A caller without types may pass null.
  const options = (given as RequestOptions | null | undefined) ?? {};
  const { query, body } = source === 'endpoint' ? checkInput(operation, input, options, issues) : input;
  if (given !== undefined) callOptions(given, [], issues);
  const { extraBody, extraQuery = {}, signal } = options;
  const params: Readonly<Record<string, unknown>> = input.params ?? {};
  const template = compilePath(at.route);
  const path = fillPath(template, params, operation.params ?? {}, issues);
  for (const name of Object.keys(params)) {
    if (!template.names.includes(name)) issues.push(issueAt([name], 'is not a parameter of the path'));
  }
  // An object, of the endpoint's schema or of `client.request`.
  const search = writeQuery(query as Readonly<Record<string, unknown>>, extraQuery, issues);
  const text = writeBody(at.method, { body, extraBody, isChecked: source === 'endpoint' }, issues);
  const headers = headersOf(settings, options, text, issues);
  if (issues.length > 0) throw new InvalidRequestError(issues, at);
  const url = settings.baseUrl + path + search;
  const secrets = () => [
    ...secretsOf(operation.secrets ?? {}, params, body),
    ...secretsIn(extraBody, extraQuery, headers),
    ...(source === 'route' ? secretsIn(params, query, body) : []),
  ];
  return {
    operation,
    at,
    url,
    body: text,
    headers,
    ...limitsOf(settings, options, operation.isSlow?.({ ...(isFields(body) ? body : {}), ...extraBody }) === true),
    signal,
    read,
    redactWith: (keys, added) => redactUrl(url, at.route, () => [...secrets(), ...secretsIn(added), ...keys.all]),
  };
}

/** Checks the typed query and body. Returns them as they are sent. */
function checkInput(
  { query, body, readBody }: Operation,
  input: CallRequest<unknown>['input'],
  { extraBody }: RequestOptions,
  issues: Issue[],
): { query: object; body: object | undefined } {
  const options = callOptions.names;
  const wireOf = (read: ReadBody): object => {
    for (const issue of read.issues) issues.push(issue);
    // Every query and body schema is an object.
    return read.issues.length === 0 ? (read.wire as object) : {};
  };
  return {
    query: query === undefined ? {} : wireOf(readArgument(query(), input.query, { extra: 'extraQuery', options })),
    body:
      body &&
      wireOf(
        readBody?.(input.body, extraBody, options) ?? readArgument(body(), input.body, { extra: 'extraBody', options }),
      ),
  };
}

/** Collects the secrets only for the first text to redact: most calls succeed. */
function redactUrl(url: string, route: string, secrets: () => readonly string[]): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= redactor(secrets());
    return redact(text.replaceAll(url, route));
  };
}

/** The headers of a call override the client's. */
function headersOf(
  settings: Settings,
  options: RequestOptions,
  body: string | undefined,
  issues: Issue[],
): PlainHeaders {
  let own: PlainHeaders | undefined;
  if (options.headers !== undefined) {
    try {
      own = readHeaders(options.headers);
    } catch (error) {
      // readHeaders throws only errors.
      issues.push({ path: ['headers'], message: (error as Error).message });
    }
  }
  return body === undefined ? { ...settings.headers, ...own } : { ...jsonBody, ...settings.headers, ...own };
}

const jsonBody: PlainHeaders = { 'content-type': 'application/json' };

const ordinaryLimits = { timeoutMs: 30_000, totalTimeoutMs: 90_000 };
/** The platforms publish during the call, and after a time-out the outcome is unknown. */
const slowLimits = { timeoutMs: 300_000, totalTimeoutMs: 300_000 };

/** The limits of a call override the client's, and these override the operation's. */
function limitsOf(settings: Settings, options: RequestOptions, isSlow: boolean) {
  const defaults = isSlow ? slowLimits : ordinaryLimits;
  const { timeoutMs, totalTimeoutMs } = settings;
  return {
    timeoutMs: Math.min(options.timeoutMs ?? timeoutMs ?? defaults.timeoutMs, longestTimerMs),
    totalTimeoutMs: Math.min(options.totalTimeoutMs ?? totalTimeoutMs ?? defaults.totalTimeoutMs, longestTimerMs),
    maxRetries: options.maxRetries ?? settings.maxRetries,
  };
}
