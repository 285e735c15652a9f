import { isError, isInPlaceOfRequest } from './error-code.js';
import { brand, sharedByCopies } from './package.js';

/**
 * The outcome of the operation at the service:
 *
 * - `not_sent`: the service never received it. It is safe to call again.
 * - `rejected`: the service answered that it did not execute it.
 * - `unknown`: the service may have executed it. Check before you call again, see `posts.reconcile`.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** One thing that is wrong with an argument or a reply. */
export interface Issue {
  /** The path of the field, from the argument's root, for example `['platforms', 0, 'accountId']`. */
  readonly path: readonly (string | number)[];
  /** The problem and the allowed values. It never quotes the value. */
  readonly message: string;
}

/** The optional details of every error of this package. */
export interface ErrorDetails {
  /** The outcome of the operation. Default `not_sent`. */
  readonly outcome?: Outcome | undefined;
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path template. */
  readonly route?: string | undefined;
  /** The underlying error. Its name, message and code are copied; the rest, which may contain a request, is not. */
  readonly cause?: unknown;
  /** Removes secrets from the texts of the cause. @internal */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The base of every error that this package throws, except aborts, which reject with the signal's reason. */
export class SocialPublishingError extends Error {
  override readonly name: string = 'SocialPublishingError';
  /** The outcome of the operation at the service. */
  readonly outcome: Outcome;
  /** The HTTP method, once a request is known. */
  declare readonly method?: string;
  /** The path template, for example `/v1/posts/scheduled/{postId}`, never the filled path. */
  declare readonly route?: string;
  /** The ID that was sent with every attempt of the call. Only with the client's option `requestIdHeader`. */
  declare readonly requestId?: string;
  /** The query of the list page that failed. Pass it to the same method to continue. Only errors of lists have it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- it must fit the query of each list, whichever was walked
  declare readonly resume?: any;
  /**
   * The items that `toArray()` had collected when it failed; `resume` continues after them. Only errors of `toArray()`
   * have it.
   */
  declare readonly items?: readonly unknown[];

  constructor(message: string, details: ErrorDetails = {}) {
    super(message);
    this.outcome = details.outcome ?? 'not_sent';
    setHidden(this, brand, true);
    if (details.method !== undefined) this.method = details.method;
    if (details.route !== undefined) this.route = details.route;
    if (details.cause !== undefined) setHidden(this, 'cause', safeCause(details.cause, details.redact ?? String));
  }

  /** Returns the value for `JSON.stringify`: name, message and location, never a body, a header or a secret. */
  toJSON(): Record<string, unknown> {
    // Only own enumerable fields: hidden values are private or not enumerable.
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** The client or the receiver was built with an option that can't work. */
export class ConfigurationError extends SocialPublishingError {
  override readonly name = 'ConfigurationError';
}

/** A store holds data that another version of the package, or another program, wrote. Trying again does not help. */
export class ForeignDataError extends ConfigurationError {}

/** An argument breaks a documented rule. Nothing was sent and no credit was spent. */
export class InvalidRequestError extends SocialPublishingError {
  override readonly name = 'InvalidRequestError';
  /** Every issue found, not only the first. */
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], details: ErrorDetails = {}) {
    const { method = '', route = '' } = details;
    const what = route === '' ? 'Nothing was done' : `${method} ${route}`.trim() + ' was not sent';
    super(`${what}: ${formatIssues(issues)}`, { ...details, outcome: 'not_sent' });
    this.issues = issues;
  }
}

/** The call would exceed `maxCredits` or a budget of `withBudget`. Nothing was sent. */
export class CreditLimitError extends SocialPublishingError {
  override readonly name = 'CreditLimitError';
  /** Credits under the limit that refused: used, or reserved for calls in flight. */
  readonly creditsUsed: number;
  /** The limit that refused: the client's or a parent's `maxCredits`, or the budget. */
  readonly maxCredits: number;

  constructor(
    creditsUsed: number,
    maxCredits: number,
    details: ErrorDetails = {},
    {
      credits = 1,
      limit = 'maxCredits',
    }: {
      /** The credits of the call or calls. Default 1. */
      credits?: number;
      /** The limit that refused. Default `maxCredits`. */
      limit?: 'maxCredits' | 'the budget';
    } = {},
  ) {
    const cost = credits === 1 ? 'The call costs 1 credit' : `The calls cost ${String(credits)} credits`;
    super(
      `${cost} and would pass ${limit} (${String(maxCredits)}; ${String(creditsUsed)} used or reserved). ` +
        `Nothing was sent. Raise ${limit} to continue.`,
      { ...details, outcome: 'not_sent' },
    );
    this.creditsUsed = creditsUsed;
    this.maxCredits = maxCredits;
  }
}

/** No whole reply came: the name was not found, the connection was refused, reset or cut off. See `outcome`. */
export class ConnectionError extends SocialPublishingError {
  override readonly name: string = 'ConnectionError';
  /** How many times the request was tried. */
  readonly attempts: number;

  constructor(message: string, attempts: number, details: ErrorDetails = {}) {
    super(message, details);
    this.attempts = attempts;
  }
}

/** An attempt (`timeoutMs`) or the whole call (`totalTimeoutMs`) ran out of time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
  /** The limit that ran out, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, attempts: number, timeoutMs: number, details: ErrorDetails = {}) {
    super(message, attempts, details);
    this.timeoutMs = timeoutMs;
  }
}

/** Which of the two documented error forms a body has: `{success, message}`, `{error}`, or neither. */
export type ErrorForm = 'message' | 'error' | 'other';

/** The fields of an {@link ApiError}. */
export interface ApiErrorDetails extends ErrorDetails {
  /** The HTTP status. */
  readonly status: number;
  /** The reply's headers. */
  readonly headers: Headers;
  /** The reply's parsed JSON, or its text. */
  readonly body: unknown;
  /** Which documented error form it has. */
  readonly form: ErrorForm;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** How many attempts were made. */
  readonly attempts?: number | undefined;
}

/** The service refused: a status other than 2xx, or a 2xx reply with `success: false`. */
export class ApiError extends SocialPublishingError {
  override readonly name: string = 'ApiError';
  /** The HTTP status. Which status goes with which refusal is not documented. */
  readonly status: number;
  /** Which of the documented error forms the body has. */
  readonly form: ErrorForm;
  /** How long the service asked to wait before the next attempt, in milliseconds, where it said so. */
  declare readonly retryAfterMs?: number;
  /** How many attempts were made. 0: the client held the call back, see {@link RateLimitError}. */
  declare readonly attempts?: number;
  readonly #headers: Headers;
  readonly #body: unknown;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, { ...details, outcome: details.outcome ?? 'rejected' });
    this.status = details.status;
    this.form = details.form;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.attempts !== undefined) this.attempts = details.attempts;
    this.#headers = details.headers;
    this.#body = details.body;
  }

  /** The reply's headers. Not shown by `inspect` or `JSON.stringify`. */
  get headers(): Headers {
    return this.#headers;
  }

  /** The reply's parsed JSON, or its text if it isn't JSON. `inspect` and `JSON.stringify` do not show it. */
  get body(): unknown {
    return this.#body;
  }
}

/** Status 401: the access key is missing or not valid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** Status 403: the access key may not do this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** Status 404: the object or the path does not exist. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/**
 * Status 429: too many requests. The service did not execute it. `retryAfterMs` says when to retry, if the reply
 * contains that.
 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** Status 5xx. For a write, the `outcome` is `unknown`: the service may have executed it. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** The reply is a redirect. The client follows none, because it would send the access key to another host. */
export class RedirectError extends ApiError {
  override readonly name = 'RedirectError';
  /** The origin that the redirect points to, where the runtime shows it. */
  declare readonly locationOrigin?: string;

  constructor(message: string, details: ApiErrorDetails & { readonly locationOrigin?: string | undefined }) {
    super(message, details);
    if (details.locationOrigin !== undefined) this.locationOrigin = details.locationOrigin;
  }
}

/** A 2xx reply that does not match the API document. `rawBody` contains it. */
export class ResponseError extends SocialPublishingError {
  override readonly name = 'ResponseError';
  /** The HTTP status. */
  readonly status: number;
  /** The reply's content type, where it had one. */
  declare readonly contentType?: string;
  /** The issues of the reply. Empty if it could not be read at all. */
  readonly issues: readonly Issue[];
  readonly #rawBody: string;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly status: number;
      readonly contentType?: string | undefined;
      readonly issues?: readonly Issue[] | undefined;
      readonly rawBody: string;
    },
  ) {
    super(message, details);
    this.status = details.status;
    if (details.contentType !== undefined) this.contentType = details.contentType;
    this.issues = details.issues ?? [];
    this.#rawBody = details.rawBody;
  }

  /** The body's text as far as it was read. Not shown by `inspect` or `JSON.stringify`. */
  get rawBody(): string {
    return this.#rawBody;
  }
}

/** The services of an {@link IntentConflictError}, as normalised URLs. */
export interface ConflictingServices {
  /** The service of the stored intent. */
  readonly recorded: string;
  /** The service of the publisher that was called. */
  readonly used: string;
}

/** What an {@link IntentConflictError} is about: another service, or the fields of a post or of a call. */
interface Conflict {
  /** The services of the intent and of the publisher. */
  readonly services?: ConflictingServices;
  /** The different fields of a post. */
  readonly post?: readonly string[];
  /** The different fields of another call. */
  readonly call?: readonly string[];
}

/** The key belongs to an intent with another body, or of another service. Nothing was sent. */
export class IntentConflictError extends SocialPublishingError {
  override readonly name = 'IntentConflictError';
  /** The key that both have. */
  readonly key: string;

  /** The URLs of both services, if the intent belongs to another one. Missing: it has another body. */
  readonly services?: ConflictingServices;

  /** The fields of the post or call that differ, for example `['content']`. Empty: it belongs to another service. */
  readonly fields: readonly string[];

  constructor(key: string, conflict: Conflict = {}) {
    const { services, post = [], call } = conflict;
    super(services ? ofOtherService(key, services) : ofOtherBody(key, post, call), { outcome: 'not_sent' });
    this.key = key;
    this.fields = call ?? post;
    if (services !== undefined) this.services = services;
  }
}

function ofOtherService(key: string, { recorded, used }: ConflictingServices): string {
  return (
    `The intent under the key ${JSON.stringify(key)} belongs to the service ${recorded}, and this publisher uses ` +
    `${used}. Nothing was sent. If it is the same service under a new URL, pass \`service: '${recorded}'\` to ` +
    'createPublisher: another key or scope would publish the post again. If it is another service, pass another `scope`.'
  );
}

function ofOtherBody(key: string, post: readonly string[], call: readonly string[] | undefined): string {
  const fields = call ?? post;
  const differ = fields.length === 0 ? '' : ` (different: ${fields.join(', ')})`;
  if (call !== undefined)
    return (
      `Another call has the key ${JSON.stringify(key)}, with another body${differ}. Nothing was called. To repeat that ` +
      'call, pass its body. For a second call, use another key: then both are executed.'
    );
  return (
    `The publisher has an intent under the key ${JSON.stringify(key)} with another body${differ}. Nothing was sent. ` +
    'To repeat a publish, pass the stored body (see publisher.get). If this is another post, use another key: then both ' +
    'are published.'
  );
}

/** A list that cannot continue, for example because its cursor occurred twice. */
export class PaginationError extends SocialPublishingError {
  override readonly name = 'PaginationError';
}

/** `code` of a {@link WebhookVerificationError}: the first check that the delivery did not pass. */
export type WebhookVerificationCode =
  | 'missing_header'
  | 'duplicate_header'
  | 'signature_malformed'
  | 'timestamp_malformed'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'body_not_raw'
  | 'body_too_large'
  | 'invalid_payload'
  | 'event_id_mismatch'
  | 'event_type_mismatch';

/** A webhook delivery that must not be trusted. Its message never holds the secret, the expected digest or the body. */
export class WebhookVerificationError extends SocialPublishingError {
  override readonly name = 'WebhookVerificationError';
  /** The first check that failed. */
  readonly code: WebhookVerificationCode;
  /** True where the signature itself is right, for example on a delivery that is only too old. */
  readonly signatureValid: boolean;

  constructor(code: WebhookVerificationCode, message: string, signatureValid = false) {
    super(message, { outcome: 'not_sent' });
    this.code = code;
    this.signatureValid = signatureValid;
  }
}

/** Whether an error is of this package, also of another copy of it. */
export function isPackageError(error: unknown): error is SocialPublishingError {
  return typeof error === 'object' && error !== null && brand in error;
}

/** Whether an error is an {@link ApiError}, of any class and any copy of the package. */
export function isApiError(error: unknown): error is ApiError {
  return isPackageError(error) && 'form' in error;
}

interface ErrorNames {
  readonly AuthenticationError: AuthenticationError;
  readonly ConfigurationError: ConfigurationError;
  readonly CreditLimitError: CreditLimitError;
  readonly IntentConflictError: IntentConflictError;
  readonly InvalidRequestError: InvalidRequestError;
  readonly NotFoundError: NotFoundError;
  readonly PermissionError: PermissionError;
  readonly RateLimitError: RateLimitError;
  readonly ResponseError: ResponseError;
}

/** Whether an error is of the class with this name, in any copy of the package. */
export function isErrorNamed<Name extends keyof ErrorNames>(error: unknown, name: Name): error is ErrorNames[Name] {
  return isPackageError(error) && error.name === name;
}

const severity: Readonly<Record<Outcome, number>> = { not_sent: 0, rejected: 1, unknown: 2 };

/** Returns the outcome that leaves more to do. */
export function worseOutcome(a: Outcome, b: Outcome): Outcome {
  return severity[a] >= severity[b] ? a : b;
}

/**
 * Whether a write that was answered with this status may have been executed. A 409 often means that an equal post exists:
 * perhaps an earlier request, whose reply was lost, created it. A proxy answers 499 if its own client is gone.
 */
export function provesNothing(status: number): boolean {
  return status === 408 || status === 409 || status === 499 || status >= 500;
}

/** The outcomes of calls, by the values that they rejected with. An abort rejects with the caller's own object. */
const outcomes = () => sharedByCopies('outcomes', () => new WeakMap<object, Outcome>());

/** Keeps the outcome of a failed call. A value that ended several calls has the worst of their outcomes. */
export function recordOutcome(error: unknown, outcome: Outcome): void {
  if (typeof error !== 'object' || error === null) return;
  outcomes().set(error, worseOutcome(outcome, outcomes().get(error) ?? 'not_sent'));
}

/**
 * Returns the outcome of the operation that a call rejected: `not_sent`, `rejected` or `unknown`. It knows every error of
 * this package, also of another copy of it, and the reason of an aborted signal if the reason is an object. If one reason
 * ended several calls, it returns the worst of their outcomes.
 *
 * @example
 * ```ts
 * try {
 *   await client.posts.create(body, { signal });
 * } catch (error) {
 *   if (outcomeOf(error) !== 'unknown') throw error; // no post was created
 *   const found = await client.posts.reconcile(error, { waitMs: 10_000 });
 * }
 * ```
 * @returns `undefined` for a value that no call rejected with
 */
export function outcomeOf(error: unknown): Outcome | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const recorded = outcomes().get(error);
  if (recorded !== undefined || !isPackageError(error)) return recorded;
  // Another version can have other outcomes.
  return Object.hasOwn(severity, error.outcome) ? error.outcome : 'unknown';
}

/**
 * The outcome of a write, as far as its error proves it. Any object can be the reason of several aborts, so that the
 * outcome of an abort can belong to another call. A `ConfigurationError` without a route is not from the client: a store or
 * another part of a caller's code failed, perhaps after the send. Version 0.2.0 of the client calls a 409 a refusal.
 */
export function provenOutcome(error: unknown): Outcome {
  // Only the client itself knows that this came from its `fetch`.
  if (!isPackageError(error)) return (isInPlaceOfRequest(error) && outcomeOf(error)) || 'unknown';
  if (isErrorNamed(error, 'ConfigurationError') && error.route === undefined) return 'unknown';
  if (isApiError(error) && provesNothing(error.status)) return 'unknown';
  return outcomeOf(error) ?? 'unknown';
}

/** Writes an issue with its path: `platforms.0.accountId must be a string`. */
function formatIssue({ path, message }: Issue, root: string): string {
  const name = path.length === 0 ? root : path.join('.');
  // Messages of this package name their field. Messages of a caller's schema may not.
  if (message.startsWith(name) || message.startsWith(`'${name}'`)) return message;
  return path.length === 0 ? `${root} ${message}` : `${name}: ${message}`;
}

/** Longer lists are unreadable. `issues` contains all of them. */
const mostFormattedIssues = 50;

/**
 * Writes issues in one text, at most a number of them.
 * @param root the subject of an issue with an empty path
 */
export function formatIssues(issues: readonly Issue[], most = mostFormattedIssues, root = 'the argument'): string {
  return listed(issues, most, (issue) => formatIssue(issue, root));
}

/** Writes the first items in one text, and counts the others. */
export function listed<Item>(items: readonly Item[], most: number, write: (item: Item) => string): string {
  const texts = items.slice(0, most).map(write);
  if (items.length > most) texts.push(`${String(items.length - most)} more`);
  return texts.join('; ');
}

/** Sets a field that is not enumerable: a log line does not show it. */
export function setHidden(error: Error, name: PropertyKey, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true });
}

/** Marks an error with the ID of its call. An error of another call keeps that call's ID. */
export function setRequestId(error: unknown, requestId: string | undefined): void {
  if (requestId === undefined || !(error instanceof SocialPublishingError) || error.requestId !== undefined) return;
  Object.defineProperty(error, 'requestId', { value: requestId, enumerable: true, configurable: true });
}

const causeDepth = 5;

/**
 * Copies only name, message and code: errors of HTTP stacks contain the request with its headers, and so the access
 * key.
 */
function safeCause(error: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (isPackageError(error)) return error;
  if (!isError(error) || depth >= causeDepth) return undefined;
  const copy = new Error(redact(error.message));
  // Node's errors have a code. A program can set both to anything.
  const { name, code } = error as { name?: unknown; code?: unknown };
  setHidden(copy, 'name', typeof name === 'string' ? redact(name) : 'Error');
  // The copy's stack would start here, the original's starts where it happened.
  if (error.stack !== undefined) setHidden(copy, 'stack', redact(error.stack));
  if (typeof code === 'string') Object.assign(copy, { code: redact(code) });
  const inner = safeCause(error.cause, redact, depth + 1);
  if (inner !== undefined) setHidden(copy, 'cause', inner);
  return copy;
}
