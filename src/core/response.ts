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
  /** The parsed JSON as it arrived. */
  readonly body: unknown;
}

const responses = new WeakMap<object, ResponseInfo>();

/**
 * Gives the reply that a returned object, array, page or list item came from: its status, headers, URL, number of
 * attempts and parsed JSON. `undefined` for anything that this package did not return, copies included.
 *
 * ```ts
 * const post = await client.posts.create({ content: 'Hello', saveAsDraft: true });
 * responseOf(post)?.headers.get('x-request-id');
 * ```
 */
export function responseOf(result: object): ResponseInfo | undefined {
  return responses.get(result);
}

/** Remembers the reply of a result. */
export function setResponse<T>(result: T, info: ResponseInfo | undefined): T {
  if (info !== undefined && typeof result === 'object' && result !== null) responses.set(result, info);
  return result;
}

/** Gives a part of a reply the reply's own `responseOf`. */
export function carryResponse<T extends object>(from: object, to: T): T {
  return setResponse(to, responses.get(from));
}
