/** A misspelt name has no effect, so every place that takes names suggests the nearest one. */
import { describe, expect, it } from 'vitest';
import { logHooks, preflight, SocialPublishing, zonedTime } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { emulatorHandlers } from '../../src/emulator/adapters/msw.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { otelHooks } from '../../src/otel/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { PostgresStore } from '../../src/stores/postgres/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { collect } from '../support/collect.js';
import { createWebhookInbox, createWebhookReceiver, signWebhook, verifyWebhook } from '../../src/webhooks/index.js';

const service = createEmulator({ accessKey: 'key' });
const accountId = service.seed.integration({ platform: 'instagram' }).id;
const given = { baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch };
const client = new SocialPublishing(given);
const store = new MemoryDurableStore();
const publisher = createPublisher({ client, store });
const inbox = createWebhookInbox({ secret: 'whsec_1', store, on: {} });
const draft = { content: 'Hi', saveAsDraft: true } as const;
const receiver = { secret: 'whsec_1', on: {} };
const signed = { body: '{}', headers: {}, secret: 'whsec_1' };

/** Values that a caller without types may pass. */
const untyped = (value: unknown) => value as never;

async function all(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

type Slip = readonly [what: string, nearest: string, call: () => unknown];

async function isTold(nearest: string, call: () => unknown): Promise<void> {
  const requests = service.requests.length;
  const told = Promise.resolve().then(call);
  await expect(told).rejects.toThrow(`did you mean '${nearest}'?`);
  expect(service.requests).toHaveLength(requests);
}

describe('the nearest name is suggested', () => {
  it.each<Slip>([
    ['an option', 'timeoutMs', () => new SocialPublishing(untyped({ ...given, timeout: 3 }))],
    ['a limit', 'perSecond', () => new SocialPublishing(untyped({ ...given, limits: { perSeconds: 3 } }))],
    ['a hook', 'onRequest', () => new SocialPublishing(untyped({ ...given, hooks: { onRequst: () => undefined } }))],
    ['an option of logHooks', 'level', () => logHooks(console, untyped({ leval: 'info' }))],
    ['an option of otelHooks', 'tracer', () => otelHooks(untyped({ trace: {} }))],
    ['an option of a call', 'timeoutMs', () => client.posts.create(draft, untyped({ timeoutMS: 1 }))],
    ['an option of a list', 'concurrency', () => client.posts.list({}, untyped({ concurency: 2 }))],
    ['the beginning of one', 'concurrency', () => client.posts.list({}, untyped({ concur: 2 }))],
    ['an option of a walk', 'concurrency', () => all(client.posts.list({}, untyped({ concurency: 2 })))],
    ['an option of toArray', 'maxItems', () => client.posts.list().toArray(untyped({ maxItem: 1 }))],
    ['a parameter', 'status', () => client.posts.list(untyped({ stats: 'draft' }))],
    ['a field', 'content', () => client.posts.create(untyped({ contnet: 'x', saveAsDraft: true }))],
    [
      'a field of a target',
      'accountId',
      () => client.posts.create(untyped({ ...draft, platforms: [{ platform: 'instagram', acountId: 'x' }] })),
    ],
    [
      'a field of a webhook',
      'url',
      () => client.notifications.create(untyped({ channel: 'webhook', eventTypes: [], webhook: { uri: 'x' } })),
    ],
    ['a part of a request', 'params', () => client.request('GET /v1/x', untyped({ parms: {} }))],
    ['an option of createMany', 'concurrency', () => all(client.posts.createMany([draft], untyped({ concurency: 2 })))],
    ['another of its options', 'onProgress', () => all(client.posts.createMany([draft], untyped({ onProgres: 2 })))],
    ['an option of waiting', 'waitMs', () => client.posts.waitUntilFinal('post_1', untyped({ waitMS: 1 }))],
    ['an option of reconcile', 'waitMs', () => client.posts.reconcile(untyped({}), untyped({ waitMS: 1 }))],
    ['a lost create', 'sentAt', () => client.posts.reconcile(untyped({ body: draft, sendAt: new Date() }))],
    [
      'the body of a lost create',
      'content',
      () => client.posts.reconcile(untyped({ body: { contant: 'x' }, sentAt: new Date() })),
    ],
    [
      'an option of needingAttention',
      'withinDays',
      () => all(client.integrations.needingAttention(untyped({ withinDay: 1 }))),
    ],
    ['a plan', 'since', () => client.analytics.planInstagramInsights(untyped({ accountId, sinc: '2026-01-01' }))],
    ['an option of zonedTime', 'overlap', () => zonedTime('2027-01-01T09:00', 'UTC', untyped({ overlp: 'later' }))],
  ])('by the client: %s', (_, nearest, call) => isTold(nearest, call));

  it.each<Slip>([
    ['an option of verifyWebhook', 'toleranceSeconds', () => verifyWebhook(untyped({ ...signed, toleranceSecond: 3 }))],
    ['the beginning of its name', 'toleranceSeconds', () => verifyWebhook(untyped({ ...signed, tolerance: 5 }))],
    ['an option of signWebhook', 'timestamp', () => signWebhook(untyped({ ...signed, timestmp: 3 }))],
    [
      'an option of a receiver',
      'toleranceSeconds',
      () => createWebhookReceiver(untyped({ ...receiver, toleranceSecond: 3 })),
    ],
    ['a handler', 'post.failed', () => createWebhookReceiver(untyped({ ...receiver, on: { 'post.fail': () => 1 } }))],
    [
      'a handler for the rest',
      'default',
      () => createWebhookReceiver(untyped({ ...receiver, on: { defalt: () => 1 } })),
    ],
    ['an option of an inbox', 'maxAttempts', () => createWebhookInbox(untyped({ ...receiver, store, maxAttempt: 3 }))],
    ['an option of its start', 'concurrency', () => inbox.start(untyped({ concurency: 1 }))],
    ['an option of catchUp', 'since', () => inbox.catchUp(untyped({ client, sinc: new Date() }))],
    ['PostgresStore', 'table', () => new PostgresStore(untyped({ query: () => 1 }), untyped({ tabel: 'x' }))],
    ['RedisStore', 'prefix', () => new RedisStore(untyped({ call: () => 1 }), untyped({ prefx: 'x' }))],
    ['an option of a publisher', 'settleMs', () => createPublisher(untyped({ client, store, setleMs: 3 }))],
    ['a field', 'content', () => publisher.publish('a', untyped({ contnet: 'x', saveAsDraft: true }))],
    ['an option of publish', 'extraBody', () => publisher.publish('a', draft, untyped({ extrabody: {} }))],
    ['an option of enqueue', 'within', () => publisher.enqueue('a', draft, untyped({ witin: {} }))],
    ['an option of publishMany', 'concurrency', () => all(publisher.publishMany([], untyped({ concurency: 1 })))],
    ['what is listed', 'state', () => all(publisher.list(untyped({ sate: 'ready' })))],
    ['an option of sweep', 'limit', () => publisher.sweep(untyped({ limt: 1 }))],
    ['an option of prune', 'olderThan', () => publisher.prune(untyped({ olderthan: new Date() }))],
    ['a resolution', 'postId', () => publisher.resolve('a', untyped({ as: 'published', postID: 'x' }))],
  ])('by webhooks, stores and the publisher: %s', (_, nearest, call) => isTold(nearest, call));

  it('in an item of many', async () => {
    const items = untyped([{ key: 'b', body: draft, extrabody: {} }]);
    for await (const { state, error } of publisher.publishMany(items)) {
      expect(state).toBe('rejected');
      expect(error?.message).toContain("did you mean 'extraBody'?");
    }
    for await (const { status, error } of client.posts.createMany(untyped([{ body: draft, extrabody: {} }]))) {
      expect(status).toBe('failed');
      expect((error as Error).message).toContain("did you mean 'extraBody'?");
    }
    expect(service.posts).toEqual([]);
  });

  it.each<Slip>([
    ['an option', 'accessKey', () => createEmulator(untyped({ acessKey: 'x' }))],
    ['what it keeps', 'requests', () => createEmulator(untyped({ keep: { request: 1 } }))],
    ['a duration', 'hours', () => service.clock.advance(untyped({ hour: 1 }))],
    ['a speed', 'speed', () => service.clock.run(untyped({ sped: 2 }))],
    [
      'what is cleared',
      'requests',
      () => {
        service.clear(untyped({ request: true }));
      },
    ],
    ['a fault', 'times', () => service.faults.add(untyped({ kind: 'timeout', time: 1 }))],
    ['a fault of deliveries', 'delayMs', () => service.deliveryFaults.add(untyped({ kind: 'delay', delay: 1 }))],
    [
      'an outcome',
      'platform',
      () => {
        service.publishing.outcome(untyped({ platfrom: 'tiktok' }));
      },
    ],
    [
      'a step',
      'faults',
      () => {
        service.scenario(untyped([{ at: { hours: 1 }, fault: [] }]));
      },
    ],
    [
      'a kind of seeds of a step',
      'integrations',
      () => {
        service.scenario(untyped([{ at: {}, seed: { integration: [] } }]));
      },
    ],
    [
      'a seed of a step',
      'username',
      () => {
        service.scenario(untyped([{ at: {}, seed: { integrations: [{ platform: 'tiktok', usrname: 'x' }] } }]));
      },
    ],
    ['a seed', 'username', () => service.seed.integration(untyped({ platform: 'tiktok', usrname: 'x' }))],
    [
      'a field of a seed',
      'keywords',
      () => service.seed.automation(untyped({ accountId, trigger: { keyword: ['x'] } })),
    ],
    [
      'a comment',
      'accountId',
      () => service.incoming.comment(untyped({ acountId: accountId, postId: 'x', text: 'x' })),
    ],
    ['an option of serveEmulator', 'port', () => serveEmulator(service, untyped({ prot: 1 }))],
    ['an option of emulatorHandlers', 'baseUrl', () => emulatorHandlers(service, untyped({ baseURL: 'x' }))],
  ])('by the emulator: %s', (_, nearest, call) => isTold(nearest, call));
});

describe('the beginning of a name', () => {
  it('can be a field of a row, or an undocumented field of a seed', async () => {
    const [intent] = await collect(publisher.publishMany(untyped([{ key: 'row', body: draft, extra: 7 }])));
    expect(intent?.state).toBe('accepted');
    expect(service.seed.integration(untyped({ platform: 'tiktok', user: 7 }))).toMatchObject({ user: 7 });
  });
});

describe('a name that is near to none', () => {
  const lost = { body: draft, sentAt: new Date() };

  it.each<Slip>([
    ['reconcile', 'waitMs', () => client.posts.reconcile(lost, untyped({ colour: 1 }))],
    ['createMany', 'concurrency', () => all(client.posts.createMany([draft], untyped({ colour: 1 })))],
    ['watch', 'since', () => all(client.posts.watch([], untyped({ colour: 1 })))],
    ['needingAttention', 'withinDays', () => all(client.integrations.needingAttention(untyped({ colour: 1 })))],
    ['preflight, of a draft too', 'now', () => preflight(client, draft, untyped({ colour: 1 }))],
  ])('is refused by %s, which lists its options and those of a call', async (_, first, call) => {
    const requests = service.requests.length;
    const told = Promise.resolve().then(call);
    await expect(told).rejects.toThrow(new RegExp(`'colour' is not an option of .*Supported: ${first}, .*timeoutMs`));
    expect(service.requests).toHaveLength(requests);
  });

  it('is kept in a seed, because the service may return more than its document shows', () => {
    const seeded = service.seed.integration(untyped({ platform: 'tiktok', followers: 7 }));
    expect(seeded).toMatchObject({ followers: 7 });
  });
});
