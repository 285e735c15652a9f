import { parseJson } from '../../core/json.js';
import type { RequestRecord } from '../state/traffic.js';
import { timestamp } from '../state/time.js';
import { allEndpoints } from '../../resources/endpoints.js';

export function requestRecord(
  id: string,
  { method, url, headers, body }: IncomingRequest,
  route: string | undefined,
  now: number,
): RequestRecord {
  return {
    id,
    method,
    url: url.href,
    path: url.pathname,
    ...(route === undefined ? {} : { route }),
    query: queryOf(url),
    headers: Object.fromEntries(headers),
    ...(body === '' ? {} : { body: parsed(body) }),
    at: timestamp(now),
  };
}

function queryOf({ searchParams }: URL): Record<string, string | readonly string[]> {
  const query: Record<string, string | readonly string[]> = {};
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return query;
}

function parsed(text: string): unknown {
  try {
    // JSON nested deeper than any reply could not be shown or written.
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The segments that precede a secret, from the endpoints. */
const before = new Set(
  allEndpoints().flatMap(({ route, secrets }) => {
    const segments = route.split('/');
    return (secrets?.params ?? []).flatMap((name) => segments[segments.indexOf(`{${name}}`) - 1] ?? []);
  }),
);

/** Masks the segments after them, for logs, whatever the operation. */
export function maskedPath(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => (before.has(segments[index - 1] ?? '') && segment !== '' ? '***' : segment))
    .join('/');
}

/** The exchange of a request on the wire. Adapters perform it: `fetch`, a socket, a service worker. */
export type Exchange = WholeReply | CutReply | NoReply;

/** A reply that arrives complete. */
export interface WholeReply {
  /** The kind of exchange. */
  readonly kind: 'reply';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body. */
  readonly body: string;
}

/** A reply that breaks off. */
export interface CutReply {
  /** The kind of exchange. */
  readonly kind: 'cut';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body. */
  readonly body: string;
  /** The part of the body that arrives. */
  readonly sent: string;
}

/** No reply. */
export interface NoReply {
  /** `reset`: the connection is reset. `silence`: no reply ever comes. */
  readonly kind: 'reset' | 'refused' | 'silence';
}

export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

export async function incomingOf(request: Request): Promise<IncomingRequest> {
  const { method, headers } = request;
  return { method, url: new URL(request.url), headers, body: await request.text() };
}
