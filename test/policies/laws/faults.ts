/** A fault of one request on its way to the service and back. */
export interface Fault {
  /** How the caller's side sees it end. */
  readonly end: End;
  /** Whether the service has carried the request out by then. */
  readonly commit: boolean;
  /** How many turns of the event loop the request and its reply are under way. */
  readonly there: number;
  readonly back: number;
  /** When the caller aborts, if at all. */
  readonly abort?: AbortPoint | undefined;
}

export type AbortPoint = 'there' | 'back' | 'body';

export type End = keyof typeof brokenConnections | keyof typeof answers | 'silence' | (typeof ownReplies)[number];

/** The service's reply, unless a fault changes it. */
export const ownReplies = ['fine', 'cut body', 'stalled body', 'success: false beside the post'] as const;

const code = (name: string, fields: object = {}) =>
  Object.assign(new Error(`it ended with ${name}`), { code: name, ...fields });

/** The error with which Node's `fetch` rejects. */
export const brokenConnections = {
  refused: () => code('ECONNREFUSED', { syscall: 'connect' }),
  'unknown host': () => code('ENOTFOUND', { syscall: 'getaddrinfo' }),
  'connect time-out': () => code('UND_ERR_CONNECT_TIMEOUT'),
  'refused at both addresses': () =>
    Object.assign(new AggregateError([code('ECONNREFUSED'), code('ETIMEDOUT', { syscall: 'connect' })]), {
      code: 'ECONNREFUSED',
    }),
  reset: () => code('ECONNRESET', { syscall: 'read' }),
  'closed by the other side': () => code('UND_ERR_SOCKET'),
  'read time-out': () => code('ETIMEDOUT', { syscall: 'read' }),
  'refused at one address, reset at the other': () => new AggregateError([code('ECONNREFUSED'), code('ECONNRESET')]),
};

/** Ends of which the service saw nothing. */
export const neverSent: readonly End[] = ['refused', 'unknown host', 'connect time-out', 'refused at both addresses'];

/** The parts of a reply. */
export type Made = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const json = (status: number, body: unknown, headers = {}): Made => ({ status, body: JSON.stringify(body), headers });

/** Replies in place of the service's. Some contain the key, like a service that echoes requests. */
export const answers = {
  'a page': (key) => ({ status: 200, body: `<p>Fine, ${key}`, headers: { 'content-type': 'text/html' } }),
  nothing: () => ({ status: 204, body: '' }),
  'half JSON': (key) => ({ status: 200, body: `{"success":true,"message":"${key}` }),
  'another shape': (key) => json(200, { success: true, postId: 5, posts: { [key]: key } }),
  'status 408': () => json(408, { success: false, message: 'Too slow' }),
  'status 500': (key) => json(500, { success: false, message: `Broken: ${key}` }),
  'status 502': () => ({ status: 502, body: '<h1>Bad gateway' }),
  'status 503': () => json(503, { error: 'Busy' }, { 'retry-after': '1' }),
  'status 504': () => json(504, { error: 'Too slow' }),
  'see other': () => json(303, {}, { location: 'https://elsewhere.test/' }),
  'status 400': (key) => json(400, { success: false, message: `No such thing: ${key}` }),
  'status 401': (key) => json(401, { error: `Not a key: ${key}` }),
  'status 409': () => json(409, { success: false, message: 'Not now' }),
  'status 422': (key) => ({ status: 422, body: `{"error":"${key}` }),
  'status 429': () => json(429, { success: false, message: 'Slow down' }, { 'retry-after': '1' }),
  'success: false': () => json(200, { success: false, message: 'No' }),
} satisfies Readonly<Record<string, (key: string) => Made>>;

/** Answers of a service that did nothing. */
export const refusals: readonly End[] = ['status 400', 'status 401', 'status 422', 'status 429', 'success: false'];
