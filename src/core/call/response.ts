import { callSafely } from './hooks.js';
import { sharedByCopies } from '../package.js';

/** The reply that a returned object came from. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number;
  /** The reply's headers. */
  readonly headers: Headers;
  /** The whole URL that was called. */
  readonly url: string;
  /** How many times the request was tried, 1 or more. */
  readonly attempts: number;
  /** The ID that was sent with every attempt of the call. Only with the client's option `requestIdHeader`. */
  readonly requestId?: string | undefined;
  /** The parsed JSON as it arrived. */
  readonly body: unknown;
}

/**
 * The `ResponseInfo` of a reply. All replies share one getter: V8 creates a separate hidden class for each object
 * literal with a getter. V8 keeps such a class, and everything that its getter reaches, until it collects the old
 * generation.
 */
export class ReplyInfo implements ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly url: string;
  readonly attempts: number;
  declare readonly requestId?: string;
  declare readonly body: unknown;
  readonly #read: () => unknown;
  #body: { readonly value: unknown } | undefined;

  /** @param read parses the JSON again; called at most once */
  constructor(
    { status, headers }: Response,
    call: { readonly url: string; readonly attempts: number; readonly requestId: string | undefined },
    read: () => unknown,
  ) {
    this.status = status;
    this.headers = headers;
    this.url = call.url;
    this.attempts = call.attempts;
    if (call.requestId !== undefined) this.requestId = call.requestId;
    this.#read = read;
    Object.defineProperty(this, 'body', ReplyInfo.#ownBody);
  }

  /** An own property, so that a copy and JSON contain it. */
  static readonly #ownBody: PropertyDescriptor = {
    enumerable: true,
    get(this: ReplyInfo) {
      return (this.#body ??= { value: this.#read() }).value;
    },
  };
}

let known: WeakMap<object, ResponseInfo> | undefined;
/** The replies of returned objects. An entry is released with its object. */
const replies = () => (known ??= sharedByCopies('replies', () => new WeakMap<object, ResponseInfo>()));

/**
 * Returns the reply of a returned object, array, page or list item: its status, headers, URL, number of attempts and
 * parsed JSON. `undefined` for anything that this package did not return, including copies of an object.
 *
 * ```ts
 * const post = await client.posts.create({ content: 'Hello', saveAsDraft: true });
 * responseOf(post)?.headers.get('x-request-id');
 * ```
 */
export function responseOf(result: object): ResponseInfo | undefined {
  // A reply without a body resolves to undefined, whatever the caller's type says.
  return isObject(result) ? replies().get(result) : undefined;
}

const isObject = (value: unknown): value is object => Object(value) === value;

/** Remembers the reply of a result. */
export function setResponse<T>(result: T, info: ResponseInfo | undefined): T {
  if (info !== undefined && isObject(result)) replies().set(result, info);
  return result;
}

/** Lets `responseOf` return the same reply for a part of a reply. */
export function carryResponse<T extends object>(from: object, to: T): T {
  return setResponse(to, responseOf(from));
}

/**
 * Discards an unread body, so that its connection is freed. Some replacements of fetch have a Node stream as body,
 * which has no `cancel`.
 */
export function discardBody({ body }: { readonly body?: unknown }): void {
  const stream = (body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  void callSafely(() => (typeof stream.cancel === 'function' ? stream.cancel() : stream.destroy?.()));
}
