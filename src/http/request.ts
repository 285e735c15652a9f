import type * as z from 'zod/mini';
import type { RetryClass } from '../core/endpoint.js';
import { InvalidRequestError, type Issue } from '../core/errors.js';
import { unknownNames } from '../core/names.js';
import type { RequestOptions } from '../core/transport.js';
import { describeIssues } from '../schema/issues.js';
import { safeParse } from '../schema/parse.js';
import { toWire } from '../schema/wire.js';
import { redactor, secretsIn, secretsOf, type Redact } from './redact.js';
import type { ReplyReader } from './reply.js';
import { checkCount, checkDuration, checkHeaders, type Settings } from './settings.js';
import type { CallTarget } from './target.js';
import { fillPath, writeQuery } from './url.js';

/** A call with everything checked: what is sent, and how its reply is read. */
export interface PreparedCall<Reply> {
  /** Method and path template, as errors and hooks tell them. */
  readonly at: CallTarget['at'];
  readonly method: string;
  /** The path template. */
  readonly path: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Headers;
  readonly retry: RetryClass;
  readonly costsCredit: boolean;
  readonly carriedOut: CallTarget['carriedOut'];
  readonly reader: ReplyReader<Reply>;
  /** Takes out of a text what no error may show: secrets of the request, the key, and the filled URL. */
  readonly redactWith: (key: string | null) => Redact;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

/** What it is called with. */
export interface CallContent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly options: RequestOptions;
}

interface Limits {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
}

/**
 * Fills the URL and the body.
 * @throws InvalidRequestError with the issues found so far and its own
 */
export function prepareCall<Reply>(
  settings: Settings,
  target: CallTarget,
  input: CallContent,
  reader: ReplyReader<Reply>,
  issues: Issue[],
): PreparedCall<Reply> {
  const { method, path, at } = target;
  checkOptions(input.options, issues);
  const options = (input.options as RequestOptions | null) ?? {};
  const filled = fillPath(target.template, input.params, target.rules, issues);
  for (const name of Object.keys(input.params)) {
    if (!target.template.names.includes(name)) issues.push({ path: [name], message: 'is not in the path' });
  }
  const search = writeQuery(input.query, options.extraQuery ?? {}, issues);
  const body = writeBody(method, input.body, options.extraBody, issues);
  const limits = limitsOf(settings, options, issues);
  const headers = headersOf(settings, options, body, issues);
  if (issues.length > 0) throw new InvalidRequestError(issues, at);
  const url = settings.baseUrl + filled + search;
  const secrets = () => [
    ...secretsOf(target.secrets, input.params, input.body),
    ...secretsIn(options.extraBody, options.extraQuery, Object.fromEntries(headers)),
    ...(!target.documented ? secretsIn(input.params, input.query, input.body) : []),
  ];
  return {
    at,
    method,
    path,
    url,
    body,
    headers,
    retry: target.retry,
    costsCredit: target.costsCredit,
    carriedOut: target.carriedOut,
    reader,
    redactWith: (key) => redactUrl(url, path, () => [...secrets(), ...(key === null ? [] : [key])]),
    limits,
    signal: options.signal,
  };
}

/** Built on first use: most calls go well. */
function redactUrl(url: string, path: string, secrets: () => readonly string[]): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= redactor(secrets());
    return redact(text.replaceAll(url, path));
  };
}

/** The headers of a call: its own, over the client's. */
function headersOf(settings: Settings, options: RequestOptions, body: string | undefined, issues: Issue[]): Headers {
  const headers = new Headers(settings.headers);
  try {
    for (const [name, value] of checkHeaders(options.headers)) headers.set(name, value);
  } catch (error) {
    issues.push({ path: ['headers'], message: (error as Error).message });
  }
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return headers;
}

/** The limits of a call: its own, else the client's. */
function limitsOf(settings: Settings, options: RequestOptions, issues: Issue[]): Limits {
  const { timeoutMs, totalTimeoutMs, maxRetries } = settings;
  const checked = (name: 'timeoutMs' | 'totalTimeoutMs' | 'maxRetries', check: typeof checkCount, fallback: number) => {
    if (options[name] === undefined) return fallback;
    try {
      return check(name, options[name]);
    } catch (error) {
      issues.push({ path: [name], message: (error as Error).message });
      return fallback;
    }
  };
  return {
    timeoutMs: checked('timeoutMs', checkDuration, timeoutMs),
    totalTimeoutMs: checked('totalTimeoutMs', checkDuration, totalTimeoutMs),
    maxRetries: checked('maxRetries', checkCount, maxRetries),
  };
}

/** Checks a typed argument against its schema and gives it as it is sent. */
export function checkInput(
  schema: z.core.$ZodType | undefined,
  value: object | undefined,
  escape: 'extraQuery' | 'extraBody',
  issues: Issue[],
): Record<string, unknown> {
  if (schema === undefined) return {};
  const parsed = safeParse(schema, toWire(schema, value));
  if (parsed.success) return parsed.data as Record<string, unknown>;
  for (const issue of describeIssues(parsed.error.issues, `; send it through ${escape}`)) issues.push(issue);
  return {};
}

function writeBody(
  method: string,
  body: unknown,
  extraBody: RequestOptions['extraBody'],
  issues: Issue[],
): string | undefined {
  if (method === 'GET' || method === 'HEAD') {
    if (extraBody !== undefined || body !== undefined)
      issues.push({ path: ['extraBody'], message: `a ${method} request has no body` });
    return undefined;
  }
  const merged = extraBody === undefined ? body : { ...(body as object | undefined), ...extraBody };
  if (merged === undefined) return undefined;
  try {
    return JSON.stringify(merged);
  } catch {
    issues.push({
      path: [extraBody === undefined ? 'body' : 'extraBody'],
      message: 'must be what JSON can hold: no cycles and no bigints',
    });
    return undefined;
  }
}

const optionNames: ReadonlySet<string> = new Set<keyof RequestOptions>([
  'signal',
  'timeoutMs',
  'totalTimeoutMs',
  'maxRetries',
  'headers',
  'extraQuery',
  'extraBody',
]);

/** Checks the names of a call's options: one that is misspelt would have no effect, and nobody would notice. */
function checkOptions(options: unknown, issues: Issue[]): void {
  if (typeof options !== 'object' || options === null) {
    issues.push({ path: ['options'], message: 'must be an object' });
    return;
  }
  for (const { name, message } of unknownNames('option of a call', options, optionNames)) {
    issues.push({ path: [name], message });
  }
  const { signal, extraQuery, extraBody } = options as Record<string, unknown>;
  if (signal !== undefined && !(typeof signal === 'object' && signal !== null && 'addEventListener' in signal)) {
    issues.push({ path: ['signal'], message: 'must be an AbortSignal' });
  }
  for (const [name, value] of Object.entries({ extraQuery, extraBody })) {
    if (value !== undefined && (typeof value !== 'object' || value === null))
      issues.push({ path: [name], message: 'must be an object' });
  }
}
