import type { ResponseInfo } from '../core/response.js';
import { once } from '../schema/fields.js';

/**
 * What `responseOf` tells of a reply. Its getter is one function for all replies: an object literal with a getter gets a
 * hidden class of its own each time, which V8 keeps, with all that the getter reaches, until the next collection of the
 * old generation. Each reply outlived its caller's interest then, and reading a page of 100 posts took a fifth longer.
 */
export class ReplyInfo implements ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly url: string;
  readonly attempts: number;
  declare readonly requestId?: string;
  declare readonly body: unknown;
  readonly #body: () => unknown;

  constructor(
    { status, headers }: Response,
    url: string,
    attempts: number,
    body: () => unknown,
    requestId: string | undefined,
  ) {
    this.status = status;
    this.headers = headers;
    this.url = url;
    this.attempts = attempts;
    if (requestId !== undefined) this.requestId = requestId;
    this.#body = once(body);
    Object.defineProperty(this, 'body', ReplyInfo.#ownBody);
  }

  /** A field of its own, so that a copy and JSON have it too. */
  static readonly #ownBody: PropertyDescriptor = {
    enumerable: true,
    get(this: ReplyInfo) {
      return this.#body();
    },
  };
}
