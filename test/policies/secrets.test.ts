import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import type { ClientOptions } from '../../src/http/client-options.js';
import * as errors from '../../src/core/errors.js';
import { SocialPublishingError } from '../../src/core/errors.js';
import { responseOf } from '../../src/core/call/response.js';
import { PublishError } from '../../src/model/targets.js';
import { createWebhookReceiver, signWebhook, verifyWebhook } from '../../src/webhooks/index.js';
import {
  closedPort,
  json,
  raw,
  reply,
  reset,
  silence,
  WireServer,
  type Answer,
  type WireRequest,
} from '../support/wire-server.js';
import { rejection } from './client.js';

/** Strings that must never be shown. Quotes, slashes and signs: they differ in JSON and in a URL. */
const key = 'sk-live-"key"/+=%&<0123456789>';
const clientSecret = 'client-"secret"\\/+=%&<42>';
const token = 'selection token/with?odd#signs&"é"';
const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const content = 'The text of the post, for its readers alone';
const replied = 'The text of the reply, for its caller alone';

const secrets: Readonly<Record<string, string>> = { key, clientSecret, token, webhookSecret, content, replied };

/** All that a log may show of a value, and of the causes behind it. */
function texts(value: unknown, depth = 0): string[] {
  const shown = [
    inspect(value, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null }),
    inspect(value, { depth: 10, getters: true }),
    JSON.stringify(value) as string | undefined,
    typeof value === 'function' ? '' : String(value),
  ];
  if (value instanceof Error) {
    shown.push(value.message, value.stack, value.name, ...Object.values(value).map(String));
    if (value.cause !== undefined && depth < 10) shown.push(...texts(value.cause, depth + 1));
  }
  return shown.filter((text) => text !== undefined);
}

/** The names of the secrets that a value shows, in any of the forms that they are sent in. */
function shownBy(value: unknown, sought = Object.keys(secrets)): string[] {
  const all = texts(value).join('\n');
  return sought.filter((name) => {
    const secret = secrets[name] ?? '';
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    ];
    return forms.some((form) => all.includes(form));
  });
}

let server: WireServer;
let answer: (request: WireRequest) => Answer;
/** Payloads of hooks, and rejections of calls. */
let told: unknown[];

beforeEach(async () => {
  told = [];
  server = await WireServer.start((request) => answer(request));
});

const tell = (info: unknown) => told.push(info);
const hooks = { onRequest: tell, onResponse: tell, onRetry: tell, onError: tell, onDrift: tell };

function clientOf(baseUrl = server.url, timeoutMs = 5_000): SocialPublishing {
  const sleep = () => Promise.resolve();
  return new SocialPublishing(
    { baseUrl, accessKey: key, timeoutMs, maxRetries: 1, hooks, headers: { 'x-client-secret': clientSecret } },
    { sleep },
  );
}

const calls: Readonly<Record<string, (client: SocialPublishing) => PromiseLike<unknown>>> = {
  'a create': (client) =>
    client.posts.create({ content, platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true }),
  'a list': (client) => client.posts.list({ limit: 1 }),
  'a message': (client) =>
    client.messages.send({ platform: 'instagram', accountId: 'int_1', recipientId: 'u', text: content }),
  'an app': (client) => client.apps.create({ platform: 'twitter', clientId: 'c', clientSecret }),
  'an app with more fields': (client) =>
    client.apps.create({ platform: 'twitter' }, { extraBody: { nested: [{ clientSecret }] } }),
  'a selection': (client) => client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_1'] }),
  'an Instagram selection': (client) =>
    client.integrations.selectInstagramAccounts(token, { selectedAccountIds: ['account_1'] }),
  'a selection by its route': (client) =>
    client.request('POST /v1/connect/facebook/selection/{token}', {
      params: { token },
      body: { selectedAccountIds: ['page_1'] },
    }),
  'a selection by its filled route': (client) =>
    client.request(`POST /v1/connect/facebook/selection/${encodeURIComponent(token)}`, {
      body: { selectedAccountIds: ['page_1'] },
    }),
  'a subscription': (client) =>
    client.notifications.create({ channel: 'webhook', webhook: { url: 'https://example.com/hook' } }),
  insights: (client) => client.analytics.getInstagramInsights({ accountId: 'int_1' }),
};

/** Parts of a request that a service could repeat. */
function everything({ path, headers, body }: WireRequest): string {
  const sent = body.includes('clientSecret') ? [clientSecret] : [];
  return [headers['x-access-key'], headers['x-client-secret'], ...sent, path, decodeURIComponent(path)].join(' | ');
}

/** Replies of a service that repeats the request, and shows secrets. */
const replies: Readonly<Record<string, (request: WireRequest) => Answer>> = {
  'a refusal in the message form': (request) =>
    json({ success: false, message: `You sent ${everything(request)}` }, 400),
  'a refusal in the error form': (request) => json({ error: `You sent ${everything(request)}` }, 422),
  'a refusal with a wrong key': () => json({ success: false, message: `Not a key: ${key}` }, 401),
  'a refusal of another form': (request) => json({ detail: `You sent ${everything(request)}` }, 400),
  'a refusal whose snippet ends inside the key': () => reply({ status: 400, body: `${'.'.repeat(190)}${key}` }),
  'a refusal that shows a signing secret': () =>
    json({ problem: 'it exists', webhook: { secret: webhookSecret } }, 409),
  'a refusal in percent-encoding': (request) => json({ error: encodeURIComponent(key) + request.path }, 400),
  'a page': (request) =>
    reply({ status: 502, body: `<pre>${everything(request)}</pre>`, headers: [['content-type', 'text/html']] }),
  'a page with status 200': (request) =>
    reply({ body: `<pre>${everything(request)} ${replied}</pre>`, headers: [['content-type', `text/${key}`]] }),
  'another shape': (request) =>
    json({ integrations: replied, posts: replied, message: everything(request), webhook: { secret: webhookSecret } }),
  'half JSON': () => raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"postId":"${replied}`, 'end'),
  'success: false': (request) => json({ success: false, message: `You sent ${everything(request)}` }),
  'a cut body': () => raw(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"postId":"${replied}`, 'end'),
  'a reset': () => reset,
  'a time-out': () => silence,
  'a redirect': (request) =>
    reply({
      status: 307,
      headers: [['location', `https://elsewhere.example/${encodeURIComponent(everything(request))}`]],
    }),
  'no HTTP': (request) => raw(`${everything(request)}\r\n\r\n`, 'end'),
};

describe('no error and no hook shows the key, a client secret, a selection token, a signing secret or a body', () => {
  for (const [what, makeAnswer] of Object.entries(replies)) {
    it.each(Object.entries(calls))(`${what}, in answer to %s`, async (_, call) => {
      answer = makeAnswer;
      const error = await rejection(call(clientOf(server.url, what === 'a time-out' ? 60 : 5_000))).catch(
        () => undefined,
      ); // `request` reads any JSON.
      for (const value of [error, ...told]) expect(shownBy(value)).toEqual([]);
      expect(told.length).toBeGreaterThan(1);
    });
  }

  it.each(Object.entries(calls))('a connection that was refused to %s', async (_, call) => {
    const error = await rejection(call(clientOf(closedPort)));
    for (const value of [error, ...told]) expect(shownBy(value)).toEqual([]);
  });

  it.each(Object.entries(calls))('a fetch whose error quotes the request, in %s', async (_, call) => {
    const fetch = (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      const error = Object.assign(new TypeError(`error sending request for url (${request.url})`), {
        request,
        headers: Object.fromEntries(request.headers),
        cause: new Error(`key ${request.headers.get('x-access-key') ?? ''} at ${request.url}`),
      });
      return Promise.reject(error);
    };
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: key, fetch, hooks, maxRetries: 0 });
    const error = await rejection(call(client));
    expect(error).toBeInstanceOf(SocialPublishingError);
    for (const value of [error, ...told]) expect(shownBy(value)).toEqual([]);
  });

  it('an argument that was refused', async () => {
    const client = clientOf();
    const refused: (() => PromiseLike<unknown>)[] = [
      () => client.posts.create({ content: { text: content } } as never),
      () => client.posts.create({ content, publishNow: content } as never),
      () => client.posts.create({ content, platforms: [{ platform: content, accountId: key }] } as never),
      () => client.apps.create({ clientSecret: [clientSecret] } as never),
      () => client.apps.create({ platform: clientSecret } as never),
      () => client.integrations.selectInstagramAccounts('short', { selectedAccountIds: [] }),
      () => client.integrations.selectFacebookPages(`${token}\u0000`, { selectedAccountIds: [] }),
      () => client.integrations.selectFacebookPages(token.repeat(99), { selectedAccountIds: [] }),
      () => client.integrations.get(5 as never, { extraQuery: { [clientSecret.length]: { key } } }),
      () => client.posts.list({}, { headers: { 'x-access-key': key } }),
      () => client.posts.list({}, { headers: { 'x-other': `${key}\r\nx-injected: 1` } }),
      () => client.request(`POST /v1/connect/facebook/selection/${token}`, {}),
      () => client.request(`GET /v1/posts/?key=${encodeURIComponent(key)}`, {}),
    ];
    for (const call of refused) {
      const error = await rejection(call());
      expect(error).toBeInstanceOf(errors.InvalidRequestError);
      for (const value of [error, ...told]) expect(shownBy(value), inspect(value)).toEqual([]);
    }
    expect(server.requests).toHaveLength(0);
  });

  it('a key function that fails, or returns no key', async () => {
    const keys: (() => unknown)[] = [
      () => Promise.reject(new Error('the vault is closed')),
      () => `${key}\n`,
      () => `${key}\u00e9`,
      () => '',
      () => undefined,
      () => ({ key }),
    ];
    for (const accessKey of keys) {
      const client = new SocialPublishing({ baseUrl: server.url, accessKey: accessKey as () => string, hooks });
      const error = await rejection(
        client.posts.create({ content, platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true }),
      );
      expect(error).toBeInstanceOf(SocialPublishingError);
      expect(error).toMatchObject({ outcome: 'not_sent', method: 'POST', route: '/v1/posts/' });
      for (const value of [error, ...told]) expect(shownBy(value)).toEqual([]);
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe('nothing that a caller holds shows the key', () => {
  it('the client, its resources, and a client made from it', () => {
    const client = clientOf();
    for (const value of [client, ...(Object.values(client) as unknown[]), client.withOptions({ maxRetries: 0 })])
      expect(shownBy(value)).toEqual([]);
    for (const name of Reflect.ownKeys(client)) expect(shownBy(Reflect.get(client, name))).toEqual([]);
  });

  it('paginators, pages, items, arrays, and the reply that they came from', async () => {
    answer = () => json({ success: true, total: 2, posts: [{ postId: 'post_1' }] });
    const client = clientOf();
    const list = client.posts.list({ limit: 1 });
    const page = await list;
    const array = await client.posts.list({ limit: 1 }).toArray({ maxItems: 1 });
    for (const value of [list, list.pages(), list[Symbol.asyncIterator](), page, page.items, page.items[0], array]) {
      expect(shownBy(value)).toEqual([]);
    }
    expect(responseOf(page)).toBeDefined();
    expect(shownBy(responseOf(page))).toEqual([]);
  });

  it('the reply of a selection and of an app', async () => {
    answer = () => json({ success: true, integrations: [], app: { id: 'app_1' } });
    for (const call of [calls['a selection'], calls['an app']]) {
      const result = await call?.(clientOf());
      expect(shownBy(result)).toEqual([]);
      // The URL of a selection has its token: `url` is the whole URL.
      expect(shownBy(responseOf(result as object), ['key', 'clientSecret'])).toEqual([]);
    }
  });

  it('payloads of hooks of successful calls', async () => {
    answer = () =>
      json({
        success: true,
        integrations: [],
        postId: 'post_1',
        messageId: 'm',
        app: { id: 'a', name: null },
        posts: [],
      });
    for (const name of [
      'a create',
      'a list',
      'a message',
      'an app',
      'a selection',
      'a selection by its filled route',
    ]) {
      await calls[name]?.(clientOf());
    }
    const ofCall = ['callId', 'host', 'method', 'route'];
    const shownFields = [...ofCall, 'attempt', 'status', 'durationMs', 'path', 'expected', 'received'];
    expect(told.length).toBeGreaterThan(12);
    for (const info of told) {
      expect(shownBy(info)).toEqual([]);
      for (const field of Object.keys(info as object)) {
        expect(shownFields).toContain(field);
      }
    }
  });
});

describe('a key that cannot be sent', () => {
  const expectRefused = (options: ClientOptions) => {
    let error: unknown;
    try {
      new SocialPublishing(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(errors.ConfigurationError);
    expect(shownBy(error)).toEqual([]);
  };

  it.each([
    ['a line feed at its end', `${key}\n`],
    ['a carriage return', `${key}\r\nx-injected: 1`],
    ['a NUL', `${key}\0`],
    ['a tab', `${key}\t1`],
    ['a letter beyond ASCII', `${key}é`],
    ['a DEL', `${key}\u007f`],
    ['a zero-width space', `\u200b${key}`],
    ['an emoji', `${key}🔑`],
    ['a lone surrogate', `${key}\ud800`],
    ['a space at its end', `${key} `],
    ['no character', ''],
    ['only blanks', '   '],
    ['a number', 5],
    ['an object', { key }],
    ['an array', [key]],
    ['a symbol', Symbol(key)],
  ])('is refused without being quoted: %s', (_, bad) => {
    expectRefused({ baseUrl: server.url, accessKey: bad as string });
  });

  it.each([
    `https://user:${encodeURIComponent(key)}@example.com`,
    `https://example.com/?key=${key}`,
    `nonsense ${key}`,
    `ftp://${encodeURIComponent(key)}`,
  ])('is refused in a base URL, without being quoted: %#', (baseUrl) => {
    expectRefused({ baseUrl, accessKey: 'k' });
  });
});

describe('webhooks', () => {
  const body = JSON.stringify({ id: 'event_1', type: 'post.published', data: { text: replied } });

  it('the receiver and all that can be wrong with a delivery show neither secret nor body', async () => {
    const receiver = createWebhookReceiver({ secret: webhookSecret, on: { default: () => Promise.resolve() } });
    for (const value of [receiver, receiver.fetch, receiver.node]) expect(shownBy(value)).toEqual([]);

    const good = { ...(await signWebhook({ body, secret: webhookSecret })) };
    const signature = Object.keys(good).find((name) => name.toLowerCase().includes('signature')) ?? '';
    const timestamp = Object.keys(good).find((name) => name.toLowerCase().includes('timestamp')) ?? '';
    const deliveries: unknown[] = [
      { body, headers: {}, secret: webhookSecret },
      { body, headers: { ...good, [signature]: 'sha256=nothing' }, secret: webhookSecret },
      { body, headers: { ...good, [signature]: `sha256=${'0'.repeat(64)}` }, secret: webhookSecret },
      { body, headers: { ...good, [timestamp]: 'now' }, secret: webhookSecret },
      { body: `${body} `, headers: good, secret: webhookSecret },
      { body: JSON.parse(body) as unknown, headers: good, secret: webhookSecret },
      { body, headers: good, secret: webhookSecret, now: () => 0 },
      { body, headers: good, secret: '' },
      { body, headers: good, secret: [webhookSecret, ''] },
      { body, headers: good, secret: `${webhookSecret.slice(0, 4)}***` },
      { body, headers: good, secret: webhookSecret, toleranceSeconds: -1 },
    ];
    for (const delivery of deliveries) {
      const error = await rejection(verifyWebhook(delivery as Parameters<typeof verifyWebhook>[0]));
      expect(error).toBeInstanceOf(SocialPublishingError);
      expect(shownBy(error)).toEqual([]);
    }
  });
});

it('takes secrets out of the name and the code of a cause', () => {
  const inner = Object.assign(new Error('no'), { name: `Failed with ${key}`, code: `E ${key}` });
  const redact = (text: string) => text.replaceAll(key, '***');
  const error = new SocialPublishingError('m', { cause: new Error('outer', { cause: inner }), redact });
  expect(shownBy(error)).toEqual([]);
  expect((error.cause as Error).cause).toMatchObject({ name: 'Failed with ***', code: 'E ***' });
});

describe('every error class', () => {
  it('shows of its cause no more than name, message, code and stack, with secrets taken out', () => {
    const cause = Object.assign(
      new Error(`sent ${key}`, { cause: Object.assign(new Error(`at ${key}`), { headers: { key } }) }),
      {
        code: 'ECONNRESET',
        request: { headers: { 'x-access-key': key } },
        options: { body: content },
      },
    );
    const redact = (text: string) => text.replaceAll(key, '***');
    const status = {
      status: 400,
      headers: new Headers({ 'x-echo': 'key' }),
      body: { replied, key },
      form: 'other' as const,
    };
    const details = { cause, redact, method: 'POST', route: '/v1/posts/' };
    const made = [
      new errors.SocialPublishingError('m', details),
      new errors.ConfigurationError('m', details),
      new errors.ForeignDataError('m', details),
      new errors.InvalidRequestError([], details),
      new errors.CreditLimitError(1, 1, details),
      new errors.ConnectionError('m', 1, details),
      new errors.TimeoutError('m', 1, 1, details),
      new errors.ApiError('m', { ...details, ...status }),
      new errors.AuthenticationError('m', { ...details, ...status }),
      new errors.PermissionError('m', { ...details, ...status }),
      new errors.NotFoundError('m', { ...details, ...status }),
      new errors.RateLimitError('m', { ...details, ...status }),
      new errors.ServerError('m', { ...details, ...status }),
      new errors.RedirectError('m', { ...details, ...status }),
      new errors.ResponseError('m', { ...details, status: 200, rawBody: replied }),
      new errors.PaginationError('m', details),
      new errors.WebhookVerificationError('signature_mismatch', 'm'),
      new PublishError([], []),
      new errors.IntentConflictError('k'),
    ];
    const withoutCause: readonly unknown[] = [
      errors.WebhookVerificationError,
      PublishError,
      errors.IntentConflictError,
    ];
    const classes = Object.values({ ...errors, PublishError }).filter(
      (value) => typeof value === 'function' && value.prototype instanceof Error,
    );
    expect(new Set(made.map((error) => error.constructor))).toEqual(new Set(classes));
    for (const error of made) {
      expect(shownBy(error)).toEqual([]);
      expect(error).toBeInstanceOf(errors.SocialPublishingError);
      if (!withoutCause.includes(error.constructor))
        expect(error.cause).toMatchObject({ name: 'Error', message: 'sent ***', code: 'ECONNRESET' });
    }
    // But values that a caller reads on purpose are there.
    expect(made.find((error) => error instanceof errors.ResponseError)).toMatchObject({ rawBody: replied });
    expect((made.find((error) => error.name === 'RateLimitError') as errors.ApiError).body).toEqual({ replied, key });
  });
});
