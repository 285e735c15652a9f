/** What a replacement of `fetch` is called with beside the URL. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The headers, the access key among them. */
  headers: Record<string, string>;
  /** The body. Missing: none is sent. */
  body?: string;
  /** No redirect is followed: it would take the key to another host. */
  redirect: 'manual';
  /** Aborts the attempt: its time is over, or its caller gave up. */
  signal: AbortSignal;
}

/** What a replacement of `fetch` gives: the parts of a `Response` that every one of them has. */
export interface FetchReply {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: {
    /** The value of a header, in any case of letters. */
    get(name: string): string | null;
  };
  /** Reads the body as text. */
  text(): Promise<string>;
}

/**
 * A replacement of `fetch`: `globalThis.fetch`, that of undici or node-fetch, or a function around one. The URL is always a
 * string; the type has `URL` as well, so that a function that tells them apart fits.
 */
// The type of a method: its parameters may be narrower, as in `(url: string, init: RequestInit) => …`.
export type FetchLike = {
  /** Sends a request and gives its reply. */
  fetch(url: string | URL, init: FetchInit): Promise<FetchReply>;
}['fetch'];
