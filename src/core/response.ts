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

/** A base that gives back the very object that it is given, so that a derived class adds its fields to that object. */
const Given = function (object: object) {
  return object;
} as unknown as new (object: object) => object; // A function is a constructor too, which its type does not say.

/**
 * Adds a private field to an object that was not made here. The field is seen by nothing but this class: no loop, copy,
 * comparison or console shows it. It lives and dies with the object, as an entry of a `WeakMap` does, for a tenth of the
 * time that the entry takes: a page of a list has a hundred items.
 */
class Tagged extends Given {
  readonly #response: ResponseInfo;

  constructor(object: object, response: ResponseInfo) {
    super(object);
    this.#response = response;
  }

  static responseOf(object: object): ResponseInfo | undefined {
    return #response in object ? object.#response : undefined;
  }
}

/** Of objects that can't be tagged, or not again: frozen ones, and those that two calls gave. */
const others = new WeakMap<object, ResponseInfo>();

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
  return others.get(result) ?? Tagged.responseOf(result);
}

/** Remembers the reply of a result. */
export function setResponse<T>(result: T, info: ResponseInfo | undefined): T {
  if (info === undefined || (typeof result !== 'object' && typeof result !== 'function') || result === null)
    return result;
  if (!Object.isExtensible(result) || Tagged.responseOf(result) !== undefined) others.set(result, info);
  else new Tagged(result, info);
  return result;
}

/** Gives a part of a reply the reply's own `responseOf`. */
export function carryResponse<T extends object>(from: object, to: T): T {
  return setResponse(to, responseOf(from));
}
