/**
 * Law (e) for every secret: the key, an app's secret, a selection's token, and a subscription's signing secret. A
 * service may repeat them anywhere, whole or truncated, in any reply.
 */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import { skippingTime } from './client.js';

/** With quotes, slashes and signs: they differ in JSON and in a URL. */
const secrets = {
  key: 'sk-live-"key"/+=%&<0123456789>',
  clientSecret: 'client-"secret"\\/+=%&<42>',
  token: 'selection token/with?odd#signs&"é"',
  webhookSecret: 'whsec_"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"',
} as const;
type SecretName = keyof typeof secrets;

/** Calls that send a secret, or are answered with one. */
const calls: Readonly<Record<string, (client: SocialPublishing) => PromiseLike<unknown>>> = {
  subscription: (client) =>
    client.notifications.create({ channel: 'webhook', webhook: { url: 'https://example.com/hook' } }),
  app: (client) => client.apps.create({ platform: 'twitter', clientId: 'c', clientSecret: secrets.clientSecret }),
  selection: (client) => client.integrations.selectFacebookPages(secrets.token, { selectedAccountIds: ['page_1'] }),
  'Instagram selection': (client) =>
    client.integrations.selectInstagramAccounts(secrets.token, { selectedAccountIds: ['account_1'] }),
  'selection by its route': (client) =>
    client.request(`POST /v1/connect/facebook/selection/${encodeURIComponent(secrets.token)}`, {
      body: { selectedAccountIds: ['page_1'] },
    }),
  list: (client) => client.posts.list({ limit: 1 }),
};

/** The possible replies to each call: the request, and signing secrets under secret-like names. */
const secretFields = ['secret', 'webhookSecret', 'signing_secret'];
const sent: Readonly<Record<string, readonly SecretName[]>> = {
  subscription: ['key'],
  app: ['key', 'clientSecret'],
  selection: ['key', 'token'],
  'Instagram selection': ['key', 'token'],
  'selection by its route': ['key', 'token'],
  list: ['key'],
};

const words = fc.constantFrom('You sent ', 'No such thing: ', '{"echo":"', '\n', '');
const fieldNames = fc.constantFrom(
  'message',
  'error',
  'detail',
  'postId',
  'posts',
  'status',
  'platform',
  'name',
  'type',
);

/** A JSON value that contains the texts anywhere, also as names of fields. */
function replyWith(texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.constantFrom(null, true, 5),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fieldNames, texts), tie('value'), { maxKeys: 4 }),
    ),
    body: fc.dictionary(fc.oneof(fieldNames, texts), tie('value'), { maxKeys: 5 }),
  })).body;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
}

function replyTo(call: string): fc.Arbitrary<Reply> {
  const echoed = fc
    .tuple(words, fc.constantFrom(...(sent[call] ?? [])), fc.constantFrom(String, encodeURIComponent))
    .map(([word, name, encode]) => word + encode(secrets[name]));
  const own = fc
    .tuple(fc.constantFrom(...secretFields), words, fc.boolean(), fc.boolean())
    .map(([field, word, isNested, isRepeated]) => ({
      ...(isNested
        ? { notification: { webhook: { [field]: secrets.webhookSecret } } }
        : { [field]: secrets.webhookSecret }),
      // A service that shows a secret may repeat it in its message.
      ...(isRepeated ? { message: `${word}${secrets.webhookSecret}` } : {}),
    }));
  return fc
    .record({
      status: fc.constantFrom(200, 200, 201, 400, 401, 404, 409, 422, 429, 500, 502),
      body: replyWith(fc.oneof(echoed, fc.constantFrom('fine', '2027-01-01T00:00:00Z'))),
      own: fc.oneof(own, fc.constant({})),
      success: fc.constantFrom({}, { success: true }, { success: false }),
      keep: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.double({ min: 0, max: 1 }) }),
      isOwnFirst: fc.boolean(),
      contentType: fc.oneof(fc.constantFrom('application/json', 'text/html'), echoed.map(encodeURIComponent)),
    })
    .map(({ status, body, own: shown, success, keep, isOwnFirst, contentType }) => {
      // A reply that is cut before the field says nowhere that a text in front of it is a secret.
      const isFieldFirst = isOwnFirst || keep < 1;
      const text = JSON.stringify({
        ...success,
        ...(isFieldFirst ? { ...shown, ...(body as object), ...shown } : { ...(body as object), ...shown }),
      });
      return { status, contentType, text: text.slice(0, Math.ceil(text.length * keep)) };
    });
}

/** The parts of a value that a log may show, with its causes. */
function shownOf(value: unknown, depth = 0): string {
  const shown = [inspect(value, { depth: 10, showHidden: true, maxStringLength: null }), JSON.stringify(value)];
  if (value instanceof Error) {
    shown.push(String(value), value.stack ?? '', ...Object.values(value).map(String));
    if (value.cause !== undefined && depth < 10) shown.push(shownOf(value.cause, depth + 1));
  }
  return shown.join('\n');
}

function leaksOf(value: unknown): string[] {
  const text = shownOf(value);
  return Object.entries(secrets)
    .filter(([, secret]) =>
      [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].some((form) => text.includes(form)),
    )
    .map(([name]) => `${name} in ${text}`);
}

const few = 150;

it.each(Object.keys(calls))(
  'no caught error and no hook payload shows a secret, for any reply to: %s',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(replyTo(name), fc.boolean(), async ({ status, text, contentType }, strictResponses) => {
        const told: unknown[] = [];
        const tell = (info: unknown) => told.push(info);
        const client = new SocialPublishing(
          {
            baseUrl: 'https://example.test',
            accessKey: secrets.key,
            strictResponses,
            maxRetries: 1,
            fetch: () => Promise.resolve(new Response(text, { status, headers: { 'content-type': contentType } })),
            hooks: { onRequest: tell, onResponse: tell, onRetry: tell, onError: tell, onDrift: tell },
          },
          // Without a clock that waits move, a wait after a 429 would turn until real time has passed.
          skippingTime([]),
        );
        const error = await Promise.resolve(calls[name]?.(client)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect([error, ...told].flatMap(leaksOf)).toEqual([]);
        expect(told.length).toBeGreaterThan(1);
      }),
      runs(few),
    );
  },
  runsTimeoutMs(50, few),
);
