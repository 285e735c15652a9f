import type { RetryClass } from '../core/endpoint.js';
import { InvalidRequestError, type Issue } from '../core/errors.js';
import type { RequestOptions } from '../core/transport.js';
import type { RecentKeys } from './keys.js';
import { checkOptions } from './call-options.js';
import { redactor, secretsIn, secretsOf, type Redact } from './redact.js';
import type { ReplyReader } from './reply.js';
import { readHeaders, type PlainHeaders } from './headers.js';
import { checkCount, checkDuration, type Settings } from './client-options.js';
import type { CallTarget } from './target.js';
import { fillPath, writeQuery } from './url.js';
import { writeBody } from './json-body.js';

/** A call with everything checked: what is sent, and how its reply is read. */
export interface PreparedCall<Reply> {
  /** Method and path template, as errors and hooks tell them. */
  readonly at: CallTarget['at'];
  readonly method: string;
  /** The path template. */
  readonly path: string;
  readonly url: string;
  readonly body: string | undefined;
  /** All but the key. */
  readonly headers: PlainHeaders;
  readonly retry: RetryClass;
  readonly costsCredit: boolean;
  readonly carriedOut: CallTarget['carriedOut'];
  readonly reader: ReplyReader<Reply>;
  /** Takes out of a text what no error may show: secrets of the request, of added headers, the given keys, and the filled URL. */
  readonly redactWith: (keys: RecentKeys, added: PlainHeaders | undefined) => Redact;
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
  const body = writeBody(
    method,
    { body: input.body, extraBody: options.extraBody, isChecked: target.documented },
    issues,
  );
  const limits = limitsOf(settings, options, target.isSlow(input.body), issues);
  const headers = headersOf(settings, options, body, issues);
  if (issues.length > 0) throw new InvalidRequestError(issues, at);
  const url = settings.baseUrl + filled + search;
  const secrets = () => [
    ...secretsOf(target.secrets, input.params, input.body),
    ...secretsIn(options.extraBody, options.extraQuery, headers),
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
    redactWith: (keys, added) => redactUrl(url, path, () => [...secrets(), ...secretsIn(added), ...keys.all]),
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
      issues.push({ path: ['headers'], message: (error as Error).message });
    }
  }
  return body === undefined ? { ...settings.headers, ...own } : { ...jsonBody, ...settings.headers, ...own };
}

const jsonBody: PlainHeaders = { 'content-type': 'application/json' };

interface Limits {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
}

const ordinaryLimits = { timeoutMs: 30_000, totalTimeoutMs: 90_000 };
/** The platforms work meanwhile, and a time-out would leave doubt. */
const slowLimits = { timeoutMs: 300_000, totalTimeoutMs: 300_000 };

/** The limits of a call: its own, else the client's, else the operation's. */
function limitsOf(settings: Settings, options: RequestOptions, isSlow: boolean, issues: Issue[]): Limits {
  const defaults = isSlow ? slowLimits : ordinaryLimits;
  const checked = (name: keyof Limits, check: typeof checkCount, fallback: number) => {
    if (options[name] === undefined) return fallback;
    try {
      return check(name, options[name]);
    } catch (error) {
      issues.push({ path: [name], message: (error as Error).message });
      return fallback;
    }
  };
  return {
    timeoutMs: checked('timeoutMs', checkDuration, settings.timeoutMs ?? defaults.timeoutMs),
    totalTimeoutMs: checked('totalTimeoutMs', checkDuration, settings.totalTimeoutMs ?? defaults.totalTimeoutMs),
    maxRetries: checked('maxRetries', checkCount, settings.maxRetries),
  };
}
