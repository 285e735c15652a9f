import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { SocialPublishingError, TimeoutError, type Outcome } from '../../src/core/errors.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import {
  closedPort,
  hangUp,
  json,
  raw,
  reply,
  reset,
  resetAfterArrival,
  silence,
  WireServer,
  type Answer,
} from '../support/wire-server.js';
import { testClient } from './client.js';

/** The fault of one attempt. */
type Fault =
  /** No connection comes about, or it is reset before anything is read. */
  | { readonly kind: 'refused' | 'unknown host' | 'reset on connect' }
  /** The server reads the request, executes it or not, and replies. */
  | { readonly kind: 'served'; readonly carriedOut: boolean; readonly answer: keyof typeof answers };

/** Fits every write: each schema takes its own part. */
const good = {
  success: true,
  postId: 'post_1',
  messageId: 'message_1',
  app: { id: 'app_1' },
  notification: { id: 'subscription_1' },
  automation: { id: 'automation_1' },
  integrations: [],
};
const text = JSON.stringify(good);
const ok = 'HTTP/1.1 200 OK\r\n';
const refusal = { success: false, message: 'No' };

const silent = {
  reset,
  'hang up': hangUp,
  'never answer': silence,
  'cut headers': raw(`${ok}content-`, 'end'),
  'cut body': raw(`${ok}content-length: 999\r\n\r\n${text}`, 'end'),
  'reset in mid-body': raw(`${ok}content-length: 999\r\n\r\n${text.slice(0, 20)}`, 'reset'),
  'stalled body': raw(`${ok}content-length: 999\r\n\r\n${text}`, 'stay'),
  'cut chunk': raw(`${ok}transfer-encoding: chunked\r\n\r\nfff\r\n${text}`, 'end'),
  'no HTTP': raw('EHLO\r\n\r\n', 'end'),
};

const unreadable = {
  'status 204': reply({ status: 204 }),
  'empty body': reply({}),
  'HTML page': reply({ body: '<p>Fine</p>' }),
  'half JSON': raw(`${ok}connection: close\r\n\r\n${text.slice(0, 20)}`, 'end'),
  null: reply({ body: 'null' }),
  '[]': reply({ body: '[]' }),
  'broken gzip': reply({ body: text, headers: [['content-encoding', 'gzip']] }),
  'cut gzip': reply({ body: gzipSync(text).subarray(0, 20), headers: [['content-encoding', 'gzip']] }),
};

/** Statuses after which the execution is unknown: server errors, and "see other". */
const doubtful = Object.fromEntries(
  [408, 409, 499, 500, 501, 502, 503, 504, 301, 302, 303].map((status) => [
    `status ${String(status)}`,
    json(refusal, status, [['location', '/elsewhere']]),
  ]),
);

/** Refusals: a server with such a reply executed nothing. `fetch` itself repeats a 421, as its standard says. */
const refused = {
  'success: false': json(refusal),
  ...Object.fromEntries(
    [400, 401, 403, 404, 421, 422, 429, 307, 308].map((status) => [
      `status ${String(status)}`,
      json(refusal, status, [['location', '/elsewhere']]),
    ]),
  ),
};

const answers: Readonly<Record<string, Answer>> = {
  ...silent,
  ...unreadable,
  ...doubtful,
  ...refused,
  good: json(good),
};

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>({ kind: 'refused' }, { kind: 'unknown host' }, { kind: 'reset on connect' }),
  fc.record({
    kind: fc.constant('served' as const),
    carriedOut: fc.boolean(),
    answer: fc.constantFrom(...Object.keys(silent), ...Object.keys(unreadable), ...Object.keys(doubtful)),
  }),
  fc.record({
    kind: fc.constant('served' as const),
    carriedOut: fc.constant(false),
    answer: fc.constantFrom(...Object.keys(refused)),
  }),
  fc.constant<Fault>({ kind: 'served', carriedOut: false, answer: 'status 429' }),
);

const writes: Readonly<Record<string, (client: SocialPublishing) => Promise<unknown>>> = {
  'posts.create': (client) =>
    client.posts.create({ content: 'Hello', platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true }),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service alone
  'posts.updateScheduled': (client) => client.posts.updateScheduled('post_1', { content: 'Hello' }),
  'messages.send': (client) =>
    client.messages.send({ platform: 'instagram', accountId: 'int_1', recipientId: 'user_1', text: 'Hi' }),
  'integrations.selectFacebookPages': (client) =>
    client.integrations.selectFacebookPages('t', { selectedAccountIds: ['page_1'] }),
  'integrations.selectInstagramAccounts': (client) =>
    client.integrations.selectInstagramAccounts('token-of-20-characters', { selectedAccountIds: ['account_1'] }),
  'automations.create': (client) => client.automations.create({ accountId: 'int_1' }),
  'notifications.create': (client) => client.notifications.create({ channel: 'email' }),
  'apps.create': (client) => client.apps.create({ platform: 'twitter' }),
  request: (client) => client.request('POST /v1/anything', { body: { any: 'thing' } }),
};

let server: WireServer;
let resetsOnConnect: WireServer;

/** The faults of one call, which of them applied, and the number of executions. */
interface Call {
  readonly left: Fault[];
  readonly used: Fault[];
  seen: number;
  carriedOut: number;
  outcome?: Outcome;
}

/** By the number that each call sends along: a request may arrive when its call has timed out. */
const calls: Call[] = [];

beforeAll(async () => {
  resetsOnConnect = await WireServer.open(() => silence, {
    // Earlier, the client may not have connected yet, which proves that nothing was sent.
    onConnection: (socket) => {
      resetAfterArrival(socket);
      return false;
    },
  });
  server = await WireServer.open(({ headers }) => {
    const call = calls[Number(headers['x-call'])];
    if (call === undefined) throw new Error('A request of no call.');
    let next = call.left.shift();
    // `fetch` repeated it automatically: faults before the network cannot apply any more.
    while (next !== undefined && next.kind !== 'served') next = call.left.shift();
    const served = next ?? { kind: 'served', carriedOut: true, answer: 'good' };
    call.used.push(served);
    call.seen += 1;
    if (served.carriedOut) call.carriedOut += 1;
    return answers[served.answer] ?? silence;
  });
});
afterAll(() => Promise.all([server.close(), resetsOnConnect.close()]));

/** Real errors of real sockets, where the fault comes before the server. */
const faultyFetch =
  (call: Call): typeof fetch =>
  (input, init) => {
    const [next] = call.left;
    if (next === undefined || next.kind === 'served') return fetch(input, init);
    call.left.shift();
    call.used.push(next);
    const target = {
      refused: closedPort,
      'unknown host': 'http://nowhere.invalid',
      'reset on connect': resetsOnConnect.url,
    }[next.kind];
    return fetch(target, { method: 'POST', body: '{}' });
  };

function checkSafety({ carriedOut, seen, outcome }: Call): void {
  expect(carriedOut).toBeLessThanOrEqual(1);
  if (outcome === 'not_sent') expect(seen).toBe(0);
  if (outcome === 'rejected') expect(carriedOut).toBe(0);
}

/** The most precise correct outcome after these faults. */
function truth(faults: readonly Fault[]): Outcome {
  const isDoubtful = (one: Fault) =>
    one.kind === 'reset on connect' || (one.kind === 'served' && !(one.answer in refused));
  if (faults.some(isDoubtful)) return 'unknown';
  return faults.some((one) => one.kind === 'served') ? 'rejected' : 'not_sent';
}

it(
  'a write is executed at most once, and its outcome is never wrong, for any faults',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(writes)),
        fc.array(fault, { maxLength: 5 }),
        fc.integer({ min: 0, max: 4 }),
        async (name, faults, maxRetries) => {
          const call: Call = { left: [...faults], used: [], seen: 0, carriedOut: 0 };
          const headers = { 'x-call': String(calls.push(call) - 1) };
          const { client } = testClient(server.url, { fetch: faultyFetch(call), timeoutMs: 40, maxRetries, headers });

          const error = await writes[name]?.(client).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );

          if (error === undefined) {
            checkSafety(call);
            // Any JSON at all is a reply of an operation that is not documented.
            if (name !== 'request') expect(call.carriedOut).toBe(1);
            return;
          }
          expect(error).toBeInstanceOf(SocialPublishingError);
          call.outcome = (error as SocialPublishingError).outcome;
          checkSafety(call);
          // The outcome is `unknown` only if the truth is unknown. A busy machine may be slow without a fault.
          expect(call.outcome).toBe(error instanceof TimeoutError ? 'unknown' : truth(call.used));
        },
      ),
      runs(300),
    );
    // Requests that arrived late count too.
    for (const call of calls) checkSafety(call);
  },
  runsTimeoutMs(60, 300),
);
