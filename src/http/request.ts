import type * as z from 'zod/mini';
import { endpointAt, type Endpoint, type ReadBody } from '../core/call/endpoint.js';
import { InvalidRequestError, type Issue } from '../core/errors.js';
import { isFields, isWellFormed, jsonCopy, type Fields } from '../core/json.js';
import { issueAt, reportTo } from '../core/call/options.js';
import { secretsIn, secretsOf } from '../core/redactor.js';
import { longestTimerMs } from '../core/runtime.js';
import { requestOptions, type CallInput, type RequestOptions } from '../core/call/transport.js';
import { epochOf } from '../model/instant.js';
import { readArgument } from '../schema/issues.js';
import type { Settings } from './context.js';
import { readHeaders, type PlainHeaders } from './headers.js';
import type { ReplyReader } from './reply.js';

const longestParameter = 512;

type Fact = 'params' | 'credits' | 'readBody' | 'isSlow' | 'secrets' | 'carriedOut';

/** The facts of an endpoint that a call needs. A route that a caller wrote has no schemas: its query and body are unchecked. */
export type Operation = { readonly [Name in Fact]?: Endpoint[Name] | undefined } & Pick<Endpoint, 'retry'> & {
    readonly route: string;
    readonly query?: (() => z.core.$ZodType) | undefined;
    readonly body?: (() => z.core.$ZodType) | undefined;
  };

/** A call as its caller passed it, and the reader of its reply. */
export interface CallRequest<Reply = unknown> {
  readonly operation: Operation;
  readonly input: CallInput;
  /** Mistakes that are already known. */
  readonly issues?: readonly Issue[];
  readonly read: ReplyReader<Reply>;
}

/** A checked request. All attempts of its call send it. */
export interface PreparedRequest {
  readonly operation: Operation;
  /** Method and path template, as in errors and hooks. */
  readonly at: { readonly method: string; readonly route: string };
  readonly url: string;
  /** JSON. */
  readonly body: string | undefined;
  /** All headers except the key. */
  readonly headers: PlainHeaders;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
  /** Returns the texts of the request that no error may show. */
  readonly secrets: () => readonly string[];
}

/**
 * Checks a call and writes its request.
 * @throws InvalidRequestError with every mistake
 */
export function prepareRequest(
  settings: Settings,
  { operation, input, issues: known = [] }: Omit<CallRequest, 'read'>,
  given: RequestOptions | null | undefined,
): PreparedRequest {
  const at = endpointAt(operation);
  const issues: Issue[] = [...known];
  const options = given ?? {};
  const { extraBody, extraQuery = {}, signal } = options;
  const { params = {} } = input;
  const { query, body } = checkInput(operation, input, extraBody, issues);
  requestOptions(given, [], issues);
  const path = writePath(at.route, params, operation.params ?? {}, issues);
  const search = writeQuery(query, extraQuery, issues);
  // The methods of resources take a documented body as an argument, and not as the field `body`.
  const own = writtenBody(body, operation.body === undefined ? ['body'] : [], issues);
  const merged = mergedBody(own, writtenBody(extraBody, ['extraBody'], issues), issues);
  if (merged !== undefined && ['GET', 'HEAD'].includes(at.method)) {
    const argument = own === undefined ? 'extraBody' : 'body';
    issues.push(issueAt([argument], `must be omitted: a ${at.method} request has no body`));
  }
  const text = merged === undefined || issues.length > 0 ? undefined : JSON.stringify(merged);
  const headers = headersOf(settings, options, text, issues);
  if (issues.length > 0) throw new InvalidRequestError(issues, at);
  return {
    operation,
    at,
    url: settings.baseUrl + path + search,
    body: text,
    headers,
    ...limitsOf(settings, options, isFields(merged) && operation.isSlow?.(merged) === true),
    signal,
    secrets: () => [
      ...secretsOf(operation.secrets ?? {}, params, body),
      ...secretsIn(params, query, body, extraBody, extraQuery, headers),
    ],
  };
}

/** Checks the query and the body against their schemas. Returns them as they are sent. */
function checkInput(
  { query, body, readBody }: Operation,
  input: CallInput,
  extraBody: unknown,
  issues: Issue[],
): { query: Fields; body: unknown } {
  const options = requestOptions.names;
  // Every query and body schema is an object.
  const wireOf = (read: ReadBody): Fields => {
    for (const issue of read.issues) issues.push(issue);
    return read.issues.length === 0 ? (read.wire as Fields) : {};
  };
  return {
    query:
      query === undefined
        ? ((input.query ?? {}) as Fields) // `client.request` has checked that it is an object.
        : wireOf(readArgument(query(), input.query, { extra: 'extraQuery', options })),
    body:
      body === undefined
        ? input.body
        : wireOf(
            readBody?.(input.body, extraBody, options) ??
              readArgument(body(), input.body, { extra: 'extraBody', options }),
          ),
  };
}

/**
 * Fills the template of a path, so that each parameter is exactly one segment. Reports each parameter that cannot form a
 * segment: every URL parser treats `.` and `..` as folders, even if they are encoded.
 */
export function writePath(
  route: string,
  params: Readonly<Record<string, unknown>>,
  rules: NonNullable<Operation['params']>,
  issues: Issue[],
): string {
  const names = new Set<string>();
  const path = route.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    names.add(name);
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const { minLength = 1, maxLength = longestParameter } = rules[name] ?? {};
    const problem = parameterProblem(value, minLength, maxLength);
    if (problem !== undefined) issues.push(issueAt([name], problem));
    // A parameter without a problem is a string.
    return problem === undefined ? encodeURIComponent(value as string) : '';
  });
  // A template such as '/v1/%2{name}' could still create one.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path))
    issues.push(issueAt(['route'], "must not produce the path segment '.' or '..'"));
  for (const name of Object.keys(params)) {
    if (!names.has(name)) issues.push(issueAt([name], 'is not a parameter of the path'));
  }
  return path;
}

function parameterProblem(value: unknown, minLength: number, maxLength: number): string | undefined {
  if (value === undefined) return 'is a required path parameter';
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < minLength || value.length > maxLength) {
    return `must have ${String(minLength)} to ${String(maxLength)} characters`;
  }
  if (value === '.' || value === '..') return "must not be '.' or '..'";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return 'must not contain control characters';
  if (!isWellFormed(value)) return 'must be well-formed Unicode';
  return undefined;
}

/** Writes query parameters. An array repeats its name; an empty array and `undefined` are omitted. */
export function writeQuery(
  query: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  issues: Issue[],
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...extra })) {
    for (const part of [value].flat()) {
      if (part === undefined) continue;
      if (!isWellFormed(name) || (typeof part === 'string' && !isWellFormed(part)))
        issues.push(issueAt([name], 'must be well-formed Unicode'));
      const instant = epochOf(part);
      if (instant !== undefined) search.append(name, new Date(instant).toISOString());
      // A null is checked if the document gives it a meaning: it is sent as the literal 'null'.
      else if (part === null || typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean') {
        search.append(name, String(part));
      } else {
        issues.push(issueAt([name], 'must be a string, number, boolean, Date, or an array of these'));
      }
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
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
  const ofBody = body === undefined ? {} : { 'content-type': 'application/json' };
  return { ...ofBody, ...settings.headers, ...own };
}

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

/** Reads an argument once: what was checked is sent. */
function writtenBody(value: unknown, name: Issue['path'], issues: Issue[]): unknown {
  const before = issues.length;
  const copy = jsonCopy(value, reportTo(issues, name));
  if (value !== undefined && copy === undefined && issues.length === before)
    issues.push(issueAt(name, 'must be JSON, not undefined'));
  return copy;
}

/** Returns the body that is sent: `extraBody` overrides its fields. */
function mergedBody(body: unknown, extraBody: unknown, issues: Issue[]): unknown {
  if (!isFields(extraBody)) return body;
  if (body === undefined || isFields(body)) return { ...body, ...extraBody };
  issues.push(issueAt(['extraBody'], 'needs a body that is an object of fields'));
  return undefined;
}
