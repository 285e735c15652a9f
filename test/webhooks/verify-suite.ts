import type { VerifyWebhookOptions, WebhookEvent } from '../../src/webhooks/index.js';
import vectors from '../vectors/webhook-signatures.json' with { type: 'json' };

// Runs unchanged on Node, in workerd and in a page: it uses only the language and WebCrypto.

/** The result of a delivery: an event, a refusal, or a refusal to try. */
type Expected =
  | { readonly event: Readonly<Record<string, unknown>> }
  | { readonly code: string; readonly signatureValid?: boolean }
  | { readonly configuration: RegExp };

interface VerifyCase {
  readonly name: string;
  readonly options: () => Promise<VerifyWebhookOptions>;
  readonly expected: Expected;
}

export const now = 1_735_787_045_000;
const timestamp = '1735787045';
export const secret = 'whk_test_5f3a9c2e7b1d4860';

const target = {
  platform: 'bluesky',
  integrationId: 'int_1',
  profileId: null,
  status: 'published',
  platformPostId: 'b1',
  platformPostUrl: 'https://b.example/1',
  publishedAt: '2025-01-02T03:04:04.000Z',
  errorMessage: null,
  warningMessage: null,
};

/** An event with every documented field. */
export const published = {
  version: '1',
  id: 'evt_1',
  type: 'post.published',
  createdAt: '2025-01-02T03:04:05.000Z',
  projectId: 'prj_1',
  profileId: null,
  data: {
    post: {
      id: 'post_1',
      status: 'published',
      content: 'Grüße 👋🏽 from 東京',
      scheduledFor: null,
      publishedAt: '2025-01-02T03:04:04.000Z',
      mediaItems: [
        {
          type: 'image',
          url: 'https://m.example/1',
          thumbnail: 'https://m.example/t',
          filename: 'a.png',
          size: 7,
          mimeType: 'image/png',
        },
      ],
      links: { service: 'https://app.example.test/p/post_1', api: 'https://api.example.test/v1/posts/post_1' },
    },
    platforms: [target],
  },
};

const known = { ...published, known: true };

async function hmacHex(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new TextEncoder().encode(key), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBytes(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
}

interface Options {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly now: () => number;
}

/** Options that verify, for a body signed with `key` at `at`. */
async function delivery(
  body: string | Uint8Array,
  { at = timestamp, key = secret }: { at?: string; key?: string } = {},
): Promise<Options> {
  const bytes = toBytes(body);
  const signed = new Uint8Array([...new TextEncoder().encode(`${at}.`), ...bytes]);
  return {
    body: bytes,
    headers: { 'X-Service-Timestamp': at, 'X-Service-Signature': `sha256=${await hmacHex(key, signed)}` },
    secret,
    now: () => now,
  };
}

type Change = (options: Options) => Readonly<Record<string, unknown>>;

const text = JSON.stringify(published);
const cases: VerifyCase[] = [];

/** A delivery of `body`, with something changed after it was signed. */
function check(
  name: string,
  expected: Expected,
  change: Change = () => ({}),
  body: string | Uint8Array = text,
  signing: { at?: string; key?: string } = {},
): void {
  cases.push({
    name,
    expected,
    options: async () => {
      const options = await delivery(body, signing);
      // A case passes values that TypeScript would refuse, like JavaScript callers.
      return { ...options, ...change(options) };
    },
  });
}

const sent =
  (headers: Readonly<Record<string, unknown>>): Change =>
  (options) => ({ headers: { ...options.headers, ...headers } });
const unknown = (payload: object, type = 'unknown'): Expected => ({ event: { known: false, type, payload } });

for (const vector of vectors.vectors) {
  const bytes = Uint8Array.from(atob(vector.bodyBase64), (char) => char.charCodeAt(0));
  const payload = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  cases.push({
    name: `takes the vector ${vector.name}`,
    expected: {
      event:
        'data' in payload ? { ...payload, known: true } : { known: false, id: payload.id, type: 'unknown', payload },
    },
    options: () =>
      Promise.resolve({
        body: bytes,
        headers: { 'x-service-signature': vector.signature, 'x-service-timestamp': vector.timestamp },
        secret: vector.secret,
        now: () => vectors.suggestedNow * 1000,
      }),
  });
}

check('takes bytes', { event: known });
check('takes text', { event: known }, () => ({ body: text }));
check('takes an ArrayBuffer', { event: known }, ({ body }) => ({ body: body.buffer }));
check('takes a view with an offset into a greater buffer', { event: known }, ({ body }) => {
  const greater = new Uint8Array(body.length + 20).fill(0x20);
  greater.set(body, 7);
  return { body: greater.subarray(7, 7 + body.length) };
});
check('takes a DataView', { event: known }, ({ body }) => ({ body: new DataView(body.buffer) }));
check(
  'takes line breaks and indents as they came',
  { event: known },
  undefined,
  JSON.stringify(published, null, 2).replaceAll('\n', '\r\n'),
);
check('takes escapes as they came', { event: known }, undefined, text.replace('ü', '\\u00fc').replace('/', '\\/'));
check('takes a body that starts with a byte-order mark', { event: known }, undefined, `\ufeff${text}`);
check(
  'takes text that starts with a byte-order mark',
  { event: known },
  () => ({ body: `\ufeff${text}` }),
  `\ufeff${text}`,
);
const mismatch = { code: 'signature_mismatch', signatureValid: false };
check('refuses a body whose byte-order mark was dropped', mismatch, () => ({ body: text }), `\ufeff${text}`);
check(
  'refuses a body that was parsed and written anew',
  mismatch,
  () => ({ body: text }),
  text.replace('ü', '\\u00fc'),
);
check('refuses a body with a line break added', mismatch, () => ({ body: `${text}\n` }));
check('refuses a body with one letter changed', mismatch, () => ({ body: text.replace('evt_1', 'evt_2') }));
check('refuses an empty body in place of the signed one', mismatch, () => ({ body: '' }));
check('refuses another timestamp than the signed one', mismatch, sent({ 'X-Service-Timestamp': '1735787046' }));
check('refuses a signature over the body alone', mismatch, () => ({}), text, { key: 'another secret' });

check('takes Headers', { event: known }, ({ headers }) => ({ headers: new Headers(headers) }));
check('takes pairs', { event: known }, ({ headers }) => ({ headers: Object.entries(headers) }));
check('takes a Map', { event: known }, ({ headers }) => ({ headers: new Map(Object.entries(headers)) }));
check('takes names in small letters', { event: known }, ({ headers }) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
}));
check('takes names in capitals', { event: known }, ({ headers }) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
}));
check('takes lists of one value', { event: known }, ({ headers }) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
}));
check(
  'takes other headers beside its own',
  { event: known },
  sent({ host: 'a', 'x-forwarded-for': ['b', 'c'], 'x-service-new': 1, x: undefined }),
);
check(
  'takes the event headers',
  { event: known },
  sent({ 'X-Service-Event-Id': 'evt_1', 'X-Service-Event-Type': 'post.published' }),
);
check(
  'takes event headers that are undefined',
  { event: known },
  sent({ 'X-Service-Event-Id': undefined, 'X-Service-Event-Type': undefined }),
);
check('takes event headers that are null', { event: known }, sent({ 'X-Service-Event-Id': null }));
check('takes a timestamp that is a number', { event: known }, sent({ 'X-Service-Timestamp': 1_735_787_045 }));
check('takes pairs beside what is none', { event: known }, ({ headers }) => ({
  headers: [[5, 'x'], 'X-Service-Timestamp', [], null, ...Object.entries(headers)],
}));
check('takes other headers whose names are short', { event: known }, sent({ a: '1', '': '2', te: 'trailers' }));
const missing = { code: 'missing_header', signatureValid: false };
for (const name of ['X-Service-Signature', 'X-Service-Timestamp']) {
  check(`misses ${name} where it is undefined`, missing, sent({ [name]: undefined }));
  check(`misses ${name} where its list is empty`, missing, sent({ [name]: [] }));
  check(`misses ${name} among Headers`, missing, ({ headers }) => {
    const rest = new Headers(headers);
    rest.delete(name);
    return { headers: rest };
  });
}
check('misses headers where there are none', missing, () => ({ headers: {} }));
check('misses headers where nothing is given', missing, () => ({ headers: undefined }));
check('misses headers where null is given', missing, () => ({ headers: null }));
check('misses headers in a list of texts', missing, () => ({ headers: ['X-Service-Signature'] }));
check('misses headers in a string', missing, () => ({ headers: 'X-Service-Signature: 1' }));
const doubled = { code: 'duplicate_header', signatureValid: false };
for (const name of ['X-Service-Signature', 'X-Service-Timestamp']) {
  const again: Change = ({ headers }) => ({ headers: { ...headers, [name.toLowerCase()]: headers[name] } });
  check(`refuses ${name} in two cases`, doubled, again);
  check(`refuses ${name} as a list of two`, doubled, ({ headers }) => ({
    headers: { ...headers, [name]: [headers[name], headers[name]] },
  }));
  check(`refuses ${name} appended to Headers`, doubled, ({ headers }) => {
    const twice = new Headers(headers);
    twice.append(name, headers[name] ?? '');
    return { headers: twice };
  });
  check(`refuses ${name} in two pairs`, doubled, ({ headers }) => ({
    headers: [...Object.entries(headers), [name, headers[name]]],
  }));
}
for (const comma of [',', ', ']) {
  check(
    `refuses a timestamp that a proxy has joined by ${JSON.stringify(comma)}`,
    doubled,
    sent({
      'X-Service-Timestamp': [timestamp, timestamp].join(comma),
    }),
  );
}
check(
  'refuses two timestamps of which one is none, as malformed',
  { code: 'timestamp_malformed', signatureValid: false },
  sent({ 'X-Service-Timestamp': `${timestamp}, x` }),
);
check('refuses an event ID that came twice', doubled, sent({ 'X-Service-Event-Id': ['evt_1', 'evt_1'] }));

const form = (name: string, value: unknown): Change => sent({ [name]: value });
const signatures: Readonly<Record<string, (value: string) => unknown>> = {
  'a signature in capitals': (value) => `sha256=${value.slice(7).toUpperCase()}`,
  'a prefix in capitals': (value) => value.replace('sha256', 'SHA256'),
  'a signature without prefix': (value) => value.slice(7),
  'another algorithm': (value) => value.replace('sha256', 'sha1'),
  'a digit too few': (value) => value.slice(0, -1),
  'a digit too many': (value) => `${value}0`,
  'a space before': (value) => ` ${value}`,
  'a space after': (value) => `${value} `,
  'a line break after': (value) => `${value}\n`,
  'a comma after': (value) => `${value},`,
  'something after a comma': (value) => `${value}, v1=0`,
  'no digits': () => 'sha256=',
  'an empty signature': () => '',
  'a letter that is no digit': (value) => `${value.slice(0, -1)}g`,
  'a signature that is no text': () => 5,
};
for (const [what, change] of Object.entries(signatures)) {
  const changed: Change = ({ headers }) => ({
    headers: { ...headers, 'X-Service-Signature': change(headers['X-Service-Signature'] ?? '') },
  });
  check(`refuses ${what}`, { code: 'signature_malformed', signatureValid: false }, changed);
}
for (const bad of [
  '',
  '12.5',
  '-1',
  '+1735787045',
  '1e9',
  '1735787045000',
  ' 1735787045',
  '1735787045 ',
  '1735787045\n',
  '0x67760a65',
  '2025-01-02T03:04:05Z',
  '１７３５７８７０４５',
  'NaN',
  '1735787045,',
]) {
  check(
    `refuses the timestamp ${JSON.stringify(bad)}`,
    { code: 'timestamp_malformed', signatureValid: false },
    form('X-Service-Timestamp', bad),
  );
}
check('takes a timestamp of twelve digits', { event: known }, undefined, text, { at: '001735787045' });

// Time.
const at =
  (ms: number): Change =>
  () => ({ now: () => now + ms });
const old = { code: 'timestamp_too_old', signatureValid: true };
const future = { code: 'timestamp_in_future', signatureValid: true };
check('takes a delivery of 300 seconds ago', { event: known }, at(300_000));
check('refuses a delivery of more than 300 seconds ago', old, at(300_001));
check('takes a delivery 300 seconds ahead', { event: known }, at(-300_000));
check('refuses a delivery more than 300 seconds ahead', future, at(-300_001));
check('takes a narrower tolerance', old, () => ({ now: () => now + 2000, toleranceSeconds: 1.5 }));
check('takes a wider tolerance', { event: known }, () => ({ now: () => now + 3_600_000, toleranceSeconds: 3600 }));
check('takes any time where the tolerance is off', { event: known }, () => ({
  now: () => now * 2,
  toleranceSeconds: false,
}));
check('takes undefined for the default tolerance', old, () => ({
  now: () => now + 300_001,
  toleranceSeconds: undefined,
}));
check('refuses a forged delivery for its signature, not for its age', mismatch, () => ({
  now: () => 0,
  body: `${text} `,
}));
check('refuses the timestamp 0 as too old', old, undefined, text, { at: '0' });
for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '300', null, true]) {
  check(`refuses the tolerance ${String(bad)} of type ${typeof bad}`, { configuration: /toleranceSeconds/ }, () => ({
    toleranceSeconds: bad,
  }));
}
check('refuses a clock that gives no number', { configuration: /now\(\)/ }, () => ({ now: () => Number.NaN }));

check('takes the second of two secrets', { event: known }, () => ({ secret: ['the new one', secret] }));
check('takes the first of two secrets', { event: known }, () => ({ secret: [secret, 'the old one'] }));
check('refuses what none of two secrets signed', mismatch, () => ({ secret: ['the new one', 'the old one'] }));
check('takes a secret in any script', { event: known }, () => ({ secret: 'clé-鍵-🔑' }), text, { key: 'clé-鍵-🔑' });
for (const padded of [`${secret} `, ` ${secret}`, `${secret}\t`])
  check(`refuses the right secret with white space around it: ${JSON.stringify(padded)}`, mismatch, () => ({
    secret: padded,
  }));
check('takes a secret that has white space around it', { event: known }, () => ({ secret: ' s p ' }), text, {
  key: ' s p ',
});
for (const bad of [
  '',
  ' ',
  '\n',
  'undefined',
  'null',
  'whk_***',
  '********',
  'whk_••••4860',
  'whk_5f3a…4860',
  undefined,
  null,
  5,
  {},
  [],
  [secret, ''],
  [secret, undefined],
]) {
  check(`refuses the secret ${JSON.stringify([bad])}`, { configuration: /secret/ }, () => ({ secret: bad }));
}
check('names a bad secret before a missing header', { configuration: /secret/ }, () => ({ secret: '', headers: {} }));

const padded = (size: number) => JSON.stringify({ a: 'x'.repeat(size - 8) });
const large = { code: 'body_too_large', signatureValid: false };
check('takes a body of 1 MiB', unknown({ a: 'x'.repeat(1_048_568) }), undefined, padded(1_048_576));
check('refuses a body of 1 MiB and a byte', large, undefined, padded(1_048_577));
check('refuses text of 1 MiB and a byte', large, () => ({ body: padded(1_048_577) }), padded(1_048_577));
check('counts bytes, not characters', large, () => ({ body: `"${'é'.repeat(524_288)}"` }));
check('refuses a large body before it looks at the signature', large, () => ({ body: new Uint8Array(1_048_577) }));
check('misses a header before it looks at the size', missing, () => ({ body: new Uint8Array(1_048_577), headers: {} }));
for (const [what, body] of [
  ['an object', { id: 'evt_1' }],
  ['a list', []],
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
] as const) {
  check(`refuses ${what} as body: it is not raw`, { code: 'body_not_raw', signatureValid: false }, () => ({ body }));
}

// The contents.
const invalid = { code: 'invalid_payload', signatureValid: true };
for (const bad of [
  '',
  ' ',
  '{',
  'null',
  'true',
  '5',
  '"text"',
  '[]',
  '[{}]',
  "{'a':1}",
  '{"a":1}{',
  '{"a":NaN}',
  '\u0000',
]) {
  check(`refuses the signed body ${JSON.stringify(bad)}`, invalid, undefined, bad);
}
for (const [what, bytes] of [
  ['invalid UTF-8', [0xff, 0x22, 0x7d]],
  ['UTF-8 that is cut off', [0xf0, 0x9f, 0x22, 0x7d]],
  ['a surrogate in UTF-8', [0xed, 0xa0, 0x80, 0x22, 0x7d]],
] as const) {
  const body = new Uint8Array([...new TextEncoder().encode('{"a":"'), ...bytes]);
  check(`refuses ${what}`, invalid, undefined, body);
}
check('refuses UTF-16', invalid, undefined, new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]));
const deep = (depth: number) => `{"type":"post.published","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
check('refuses JSON of 100,000 levels', invalid, undefined, deep(100_000));
check('refuses 100,000 levels of objects', invalid, undefined, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
check('refuses 100,000 levels that never close', invalid, undefined, `{"a":${'['.repeat(100_000)}`);
check('drops __proto__ keys', unknown({ a: {} }), undefined, '{"__proto__":{"x":1},"a":{"__proto__":{"x":1}}}');
check('drops __proto__ keys in escapes', unknown({ a: {} }), undefined, '{"a":{"\\u005f_proto__":{"x":1}}}');

// IDs and types.
for (const [what, code, header, value, body] of [
  ['a header with another event ID', 'event_id_mismatch', 'X-Service-Event-Id', 'evt_2', text],
  ['a header with another event type', 'event_type_mismatch', 'X-Service-Event-Type', 'post.failed', text],
  ['an empty header for an event ID', 'event_id_mismatch', 'X-Service-Event-Id', '', text],
  ['a header with another ID of an unknown event', 'event_id_mismatch', 'x-service-event-id', 'b', '{"id":"a"}'],
] as const) {
  check(`refuses ${what}`, { code, signatureValid: true }, sent({ [header]: value }), body);
}
check(
  'takes header IDs where the body has none, and gives none',
  unknown({ a: 1 }),
  sent({ 'X-Service-Event-Id': 'evt_1', 'X-Service-Event-Type': 'x' }),
  '{"a":1}',
);

const changed = (change: (event: typeof published) => unknown): string => {
  const copy = structuredClone(published);
  return JSON.stringify(change(copy) ?? copy);
};
for (const type of ['post.scheduled', 'post.partial', 'post.failed']) {
  check(`takes ${type}`, { event: { ...known, type } }, undefined, JSON.stringify({ ...published, type }));
}
check('takes an object with neither ID nor type', unknown({}), undefined, '{}');
const asUnknown = (payload: Record<string, unknown>): Expected => ({
  event: {
    known: false,
    // A documented type in an undocumented shape is not returned as the type.
    type: payload.type === published.type ? 'unknown' : payload.type,
    id: 'evt_1',
    createdAt: published.createdAt,
    payload,
  },
});
const unknownCases: Readonly<Record<string, Record<string, unknown>>> = {
  'an unknown type': { ...published, type: 'post.deleted' },
  'a type in capitals': { ...published, type: 'Post.Published' },
  'a type that an object inherits': { ...published, type: 'constructor' },
  'no data': { ...published, data: undefined },
  'no post': { ...published, data: { platforms: [] } },
  'no list of targets': { ...published, data: { post: published.data.post } },
  'null for the targets': { ...published, data: { post: published.data.post, platforms: null } },
  'a post without ID': { ...published, data: { post: { status: 'published' }, platforms: [] } },
  "a target that isn't an object": { ...published, data: { post: published.data.post, platforms: ['x'] } },
  'a target that is a list': { ...published, data: { post: published.data.post, platforms: [[]] } },
  'a number for an URL': { ...published, data: { post: published.data.post, platforms: [{ platformPostUrl: 5 }] } },
  'a text for a size': { ...published, data: { post: { id: 'p', mediaItems: [{ size: '7' }] }, platforms: [] } },
  'a number for a profile': { ...published, profileId: 5 },
};
for (const [what, payload] of Object.entries(unknownCases)) {
  // JSON omits `undefined`.
  const plain = JSON.parse(JSON.stringify(payload)) as Record<string, unknown>;
  check(`takes ${what} for an unknown event`, asUnknown(plain), undefined, JSON.stringify(payload));
}
check(
  'keeps the undocumented nulls of an unknown event',
  asUnknown({ ...published, version: null, profileId: 5 }),
  undefined,
  JSON.stringify({ ...published, version: null, profileId: 5 }),
);
check(
  'takes a null where none is documented for missing',
  {
    event: { ...known, version: undefined, data: { post: { id: 'post_1' }, platforms: [{ profileId: null }] } },
  },
  undefined,
  JSON.stringify({
    ...published,
    version: null,
    data: {
      post: { id: 'post_1', content: null, mediaItems: null, links: null },
      platforms: [{ platform: null, status: null, profileId: null }],
    },
  }),
);
check(
  'takes the least that an event must have',
  {
    event: { known: true, id: 'e', type: 'post.failed', data: { post: { id: 'p' }, platforms: [] } },
  },
  undefined,
  '{"id":"e","type":"post.failed","data":{"post":{"id":"p"},"platforms":[]}}',
);
check(
  'keeps fields that are not documented',
  {
    event: { ...known, extra: { a: null }, data: { ...published.data, platforms: [{ ...target, extra: null }] } },
  },
  undefined,
  changed((event) => ({
    ...event,
    extra: { a: null },
    data: { ...event.data, platforms: [{ ...target, extra: null }] },
  })),
);
check(
  'takes a new platform and a new status',
  {
    event: { ...known, data: { ...published.data, platforms: [{ ...target, platform: 'new', status: 'new' }] } },
  },
  undefined,
  changed((event) => ({
    ...event,
    data: { ...event.data, platforms: [{ ...target, platform: 'new', status: 'new' }] },
  })),
);
check(
  'says itself that an event is known',
  { event: known },
  undefined,
  changed((event) => ({ ...event, known: false })),
);
check('says itself that an event is unknown', unknown({ known: true }), undefined, '{"known":true}');

export const verifyCases: readonly VerifyCase[] = cases;

/** Runs a case and returns the problem, or `undefined`. */
export async function runVerifyCase(
  verifyWebhook: (options: VerifyWebhookOptions) => Promise<WebhookEvent>,
  { expected, options: make }: VerifyCase,
): Promise<string | undefined> {
  const options = await make();
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(options);
  } catch (error) {
    return wrongError(error as Error & { code?: string; signatureValid?: boolean }, expected, options);
  }
  if (!('event' in expected)) return `took the delivery: ${sorted(event)}`;
  return sorted(event) === sorted(expected.event)
    ? undefined
    : `gave ${sorted(event)}\nand not ${sorted(expected.event)}`;
}

function wrongError(
  error: Error & { code?: string; signatureValid?: boolean },
  expected: Expected,
  options: VerifyWebhookOptions,
): string | undefined {
  const shown = `${String(error)} ${error.stack ?? ''} ${JSON.stringify(error)}`;
  if (shown.includes(secret)) return `showed the secret: ${shown}`;
  if (/[0-9a-f]{64}|Gr..e/.test(shown)) return `showed a digest or the body: ${shown}`;
  if (typeof options.body === 'string' && options.body.length > 5 && shown.includes(options.body))
    return `showed the body: ${shown}`;
  if ('event' in expected) return `was refused: ${shown}`;
  if ('configuration' in expected) {
    const right = error.name === 'ConfigurationError' && expected.configuration.test(error.message);
    return right ? undefined : `threw ${shown}`;
  }
  if (error.name !== 'WebhookVerificationError' || error.code !== expected.code) return `threw ${shown}`;
  return error.signatureValid === (expected.signatureValid ?? false)
    ? undefined
    : `signatureValid is ${String(error.signatureValid)}`;
}

/** JSON with its keys in order, to compare by. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
