import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../../../src/emulator/adapters/control/api.js';
import { createEmulator } from '../../../../src/emulator/index.js';
import { clientOf, raw, start } from '../../world.js';
import { controlled } from './control.js';

const hour = 3_600_000;

describe('seeds', () => {
  it('a seed is the same as in the library, and the client sees it', async () => {
    const { service, send } = controlled();
    const { status, body } = await send('POST /seed/integration', { platform: 'instagram', username: 'acme' });
    expect([status, body]).toEqual([200, expect.objectContaining({ id: 'integration_1', username: 'acme' })]);
    const { items } = await clientOf(service.fetch).integrations.list();
    expect(items).toMatchObject([{ id: 'integration_1', username: 'acme' }]);
  });

  it('a seed file is added whole, or not at all', async () => {
    const { service, send } = controlled();
    const posts = [{ content: 'One' }, { content: 'Two' }];
    expect(await send('POST /seed', { integrations: [{ platform: 'tiktok' }], posts })).toEqual({
      status: 200,
      body: {},
    });
    expect(service.posts.map(({ content }) => content)).toEqual(['One', 'Two']);
    const refused = await send('POST /seed', { posts: [{ content: 'Three' }, { status: 'wrong' }] });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ error: expect.stringMatching(/nothing was added: posts\[1\]/) as unknown });
    expect(service.posts).toHaveLength(2);
  });

  it('a scenario happens at its times, and an invalid one is refused', async () => {
    const { service, send } = controlled();
    const step = { at: { hours: 2 }, seed: { posts: [{ content: 'Later' }] } };
    expect((await send('POST /scenario', [step])).status).toBe(200);
    await service.clock.advance({ hours: 3 });
    expect(service.posts).toHaveLength(1);
    expect((await send('POST /scenario', [{ at: { hours: 1 }, seeds: {} }])).status).toBe(400);
  });

  it('the demo needs no body', async () => {
    const { send } = controlled();
    const { status, body } = await send('POST /seed/demo');
    expect(status).toBe(200);
    expect((body as { posts: unknown[] }).posts).toHaveLength(60);
  });

  it.each([
    [
      'integration',
      { platform: 'instagram', usrname: 'acme' },
      "usrname is not a documented field; did you mean 'username'?",
    ],
    ['integration', { platform: 'myspace' }, 'platform must be one of '],
    ['post', { platforms: [{ platform: 'tiktok', acountId: 'a' }] }, 'platforms.0.acountId is not a documented field'],
    ['post', { status: 'scheduled' }, 'seed.post: a scheduled post needs scheduledFor.'],
    ['selection', { platform: 'facebook' }, 'accounts must be an array'],
    ['comment', { accountId: 'nobody', postId: 'p' }, 'accountId does not match an integration'],
    ['integration', '{"platform', 'The body is not JSON.'],
  ])('a bad %s is refused in words, and nothing is added: %j', async (kind, body, message) => {
    const { service, send } = controlled();
    const before = service.posts.length;
    const told = await send(`POST /seed/${kind}`, body);
    expect(told.status).toBe(400);
    expect((told.body as { error: string }).error).toContain(message);
    expect(service.posts).toHaveLength(before);
  });

  it('a seed file with the same mistake in each record lists the first ten', async () => {
    const posts = Array.from({ length: 1_000 }, () => ({ contents: 'Hi' }));
    const told = await controlled().send('POST /seed', { posts });
    expect(told.status).toBe(400);
    const { error } = told.body as { error: string };
    expect(error).toContain('posts[0]: ');
    expect(error).toContain("did you mean 'content'?");
    expect(error).toMatch(/; 990 more problems$/);
    expect(error.length).toBeLessThan(3_000);
  });

  it('an unknown kind is refused with the list of known kinds', async () => {
    const told = await controlled().send('POST /seed/tweet', {});
    expect(told.status).toBe(404);
    expect((told.body as { error: string }).error).toContain('integration, post, comment');
  });
});

describe('a scenario', () => {
  it('has its planned steps in a list, from which each can be removed', async () => {
    const { service, send } = controlled(createEmulator({ now: () => start }));
    await send('POST /scenario', [{ at: { hours: 1 }, outcomes: { error: 'down' } }]);
    const { steps } = (await send('GET /scenario')).body as { steps: { id: string }[] };
    expect(steps).toEqual([
      { id: steps[0]?.id, at: new Date(start + hour).toISOString(), outcomes: { error: 'down' } },
    ]);
    expect((await send(`DELETE /scenario/${steps[0]?.id ?? ''}`)).body).toEqual({ removed: 1 });
    expect(service.scenarios.list()).toEqual([]);
    expect((await send('DELETE /scenario/step_9')).status).toBe(404);
  });
});

describe('failures', () => {
  it('are the failed requests, and the events whose latest delivery failed', async () => {
    let status = 500;
    const { service, send } = controlled(
      createEmulator({ now: () => start, deliver: () => new Response(null, { status }) }),
    );
    const { id } = service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
    service.seed.post({ status: 'scheduled', scheduledFor: new Date(service.clock.now() + hour).toISOString() });
    await clientOf(service.fetch)
      .integrations.get('nobody')
      .catch(() => undefined);
    await service.clock.advance({ hours: 2 });
    expect(service.deliveries.length).toBeGreaterThan(1);
    expect(await send('GET /failures')).toMatchObject({
      status: 200,
      body: { requests: 1, undelivered: [{ eventId: service.deliveries[0]?.eventId, subscriptionId: id }] },
    });
    status = 200;
    await service.replay(service.deliveries[0]?.id ?? '');
    await send('DELETE /requests');
    expect((await send('GET /failures')).body).toEqual({ requests: 0, undelivered: [] });
  });

  it('are not events that were delivered before a replay failed, nor events that are delivered again later', async () => {
    let status = 200;
    const { service, send } = controlled(
      createEmulator({ now: () => start, deliver: () => new Response(null, { status }) }),
    );
    service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
    const schedule = (hours: number) =>
      service.seed.post({
        status: 'scheduled',
        scheduledFor: new Date(service.clock.now() + hours * hour).toISOString(),
      });
    schedule(1);
    await service.clock.advance({ hours: 2 });
    status = 500;
    await service.replay(service.deliveries[0]?.id ?? '');
    expect((await send('GET /failures')).body).toMatchObject({ undelivered: [] });
    schedule(1);
    await service.clock.advance({ hours: 1, seconds: 1 });
    expect(service.deliveries.at(-1)).toMatchObject({ ok: false, attempt: 1 });
    expect((await send('GET /failures')).body).toMatchObject({ undelivered: [] });
    await service.clock.advance({ hours: 1 });
    expect((await send('GET /failures')).body).toMatchObject({ undelivered: [{}] });
  });
});

describe('incoming comments and messages', () => {
  it('a comment triggers an automation, whose run ends by the clock', async () => {
    const { service, send } = controlled();
    await send('POST /seed/integration', { id: 'ig', platform: 'instagram' });
    const actions = { publicReplies: ['Sent!'], dmMessage: 'Here.' };
    await send('POST /seed/automation', { id: 'a', accountId: 'ig', trigger: { keywords: ['guide'] }, actions });
    const author = { id: 'kim', name: 'Kim' };
    const told = await send('POST /incoming/comment', { accountId: 'ig', postId: 'p', text: 'Guide', author });
    expect(told).toMatchObject({
      status: 200,
      body: {
        comment: { text: 'Guide', author, replies: [] },
        runs: [{ automationId: 'a', log: { status: 'running', commentText: 'Guide' } }],
      },
    });
    await send('POST /clock/step');
    const { items } = await clientOf(service.fetch).automations.listLogs('a');
    expect(items).toMatchObject([{ status: 'succeeded', publicReplyStatus: 'sent', privateReplySent: true }]);
  });

  it('a message begins a conversation', async () => {
    const { service, send } = controlled();
    await send('POST /seed/integration', { id: 'ig', platform: 'instagram' });
    const { status, body } = await send('POST /incoming/message', { accountId: 'ig', text: 'Hi' });
    expect([status, body]).toEqual([
      200,
      { message: expect.objectContaining({ text: 'Hi' }) as unknown, conversationId: 'conversation_1' },
    ]);
    const query = { platform: 'instagram', accountId: 'ig' } as const;
    expect((await clientOf(service.fetch).messages.listConversations(query)).items).toMatchObject([
      { id: 'conversation_1', lastMessage: { text: 'Hi' } },
    ]);
  });
});

describe('the clock', () => {
  it('advances, and due events happen before the reply', async () => {
    const { service, send } = controlled();
    const { id } = service.seed.integration({ platform: 'tiktok' });
    const platforms = [{ platform: 'tiktok', accountId: id }];
    await raw(service, 'POST /v1/posts/', { content: 'a', platforms, scheduledFor: '2026-03-02T10:00:00Z' });
    await service.settled();
    expect(await send('GET /clock')).toEqual({
      status: 200,
      body: {
        now: '2026-03-02T09:00:00.000Z',
        milliseconds: service.clock.now(),
        running: false,
        speed: 1,
        nextDue: '2026-03-02T10:00:00.000Z',
        next: { at: '2026-03-02T10:00:00.000Z', kind: 'publish', postId: 'post_1' },
      },
    });
    const { body } = await send('POST /clock/step');
    expect(body).toMatchObject({ now: '2026-03-02T10:00:00.000Z', nextDue: null });
    expect(service.posts).toMatchObject([{ status: 'published' }]);
    await send('POST /clock/advance', { hours: 2 });
    await send('POST /clock/set', '"2026-03-02T14:00:00Z"');
    expect(service.clock.now()).toBe(Date.parse('2026-03-02T14:00:00Z'));
    await send('POST /clock/set', { to: '2026-03-02T15:00:00Z' });
    expect(service.clock.now()).toBe(Date.parse('2026-03-02T15:00:00Z'));
  });

  it('runs at a speed, and stops again', async () => {
    const { service, send } = controlled();
    const begun = service.clock.now();
    expect((await send('POST /clock/run', { speed: hour })).body).toMatchObject({ running: true, speed: hour });
    await expect.poll(() => service.clock.now()).toBeGreaterThan(begun + hour);
    expect((await send('POST /clock/pause')).body).toMatchObject({ running: false });
    const stopped = service.clock.now();
    expect(stopped - begun).toBeGreaterThan(hour);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(service.clock.now()).toBe(stopped);
  });
});

describe('faults', () => {
  it('a fault strikes, and the list says how often', async () => {
    const { service, send } = controlled();
    const added = await send('POST /faults', { kind: 'status', status: 503, times: 2 });
    expect(added.body).toMatchObject({ on: 'requests', id: 'fault_1', struck: 0, spent: false });
    await send('POST /faults', { kind: 'lost' });
    expect((await raw(service, 'GET /v1/posts/')).status).toBe(503);
    expect((await send('GET /faults')).body).toMatchObject({
      requests: [{ id: 'fault_1', struck: 1, spent: false }],
      deliveries: [{ fault: { kind: 'lost' }, struck: 0 }],
    });
    await raw(service, 'GET /v1/posts/');
    expect((await send('GET /faults')).body).toMatchObject({ requests: [{ struck: 2, spent: true }] });
    expect((await raw(service, 'GET /v1/posts/')).status).toBe(200);
    expect((await send('DELETE /faults/fault_2')).body).toEqual({ removed: 1 });
    expect((await send('DELETE /faults/fault_2')).status).toBe(404);
    expect((await send('DELETE /faults')).body).toEqual({ removed: 1 });
    expect((await send('GET /faults')).body).toEqual({ requests: [], deliveries: [] });
  });

  it('a timeout is of requests, unless the query says otherwise', async () => {
    const { service, send } = controlled();
    await send('POST /faults', { kind: 'timeout' });
    await send('POST /faults?on=deliveries', { kind: 'timeout' });
    expect([service.faults.list().length, service.deliveryFaults.list().length]).toEqual([1, 1]);
    expect((await send('DELETE /faults?on=requests')).body).toEqual({ removed: 1 });
    expect([service.faults.list().length, service.deliveryFaults.list().length]).toEqual([0, 1]);
  });

  it('an outcome applies to publications from then on', async () => {
    const { service, send } = controlled();
    const { id } = service.seed.integration({ platform: 'tiktok' });
    await send('POST /outcomes', { platform: 'tiktok', error: 'media rejected', times: 1 });
    expect((await send('GET /outcomes')).body).toEqual({
      outcomes: [{ id: 'outcome_1', platform: 'tiktok', error: 'media rejected', times: 1, struck: 0 }],
    });
    const body = { content: 'a', publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] };
    expect((await raw(service, 'POST /v1/posts/', body)).body).toMatchObject({ status: 'failed' });
    expect((await send('GET /outcomes')).body).toEqual({ outcomes: [] });
    await send('POST /outcomes', { platform: 'tiktok', warning: 'cut' });
    expect((await send('DELETE /outcomes')).body).toEqual({ removed: 1 });
  });

  it('one outcome is removed by its ID', async () => {
    const { service, send } = controlled();
    for (const error of ['first', 'second']) await send('POST /outcomes', { error });
    const id = service.publishing.list()[0]?.id ?? '';
    expect((await send(`DELETE /outcomes/${id}`)).body).toEqual({ removed: 1 });
    expect(service.publishing.outcomes()).toEqual([{ error: 'second' }]);
    const again = await send(`DELETE /outcomes/${id}`);
    expect(again.status).toBe(404);
    expect((again.body as { error: string }).error).toContain('lists all outcomes');
  });
});

describe('a request that is wrong', () => {
  it.each([
    [
      'POST /incoming/comment',
      { accountId: 'nobody', postId: 'p', text: 'x' },
      'incoming.comment: accountId does not match an integration',
    ],
    [
      'POST /incoming/comment',
      { accountId: 'nobody', postId: 'p', txt: 'x' },
      "txt is not a documented field; did you mean 'text'?",
    ],
    ['POST /incoming/message', { accountId: 'nobody' }, 'text must be a string'],
    ['POST /clock/advance', { hour: 1 }, "hour is not a documented field; did you mean 'hours'?"],
    ['POST /clock/advance', { hours: -1 }, 'hours must be at least 0'],
    ['POST /clock/set', { to: 'tomorrow' }, 'a date-time with its offset'],
    ['POST /clock/set', { to: '2026-03-02T15:00:00' }, 'a date-time with its offset'],
    ['POST /clock/set', { to: '2026-02-30T15:00:00Z' }, 'names a day that does not exist'],
    ['POST /outcomes', { error: 'down', until: '2026-03-02T15:00:00' }, 'a date-time with its offset'],
    ['POST /clock/run', { speed: 0 }, 'speed must be above 0'],
    ['POST /clock/set', { at: '2026-03-02T15:00:00Z' }, 'must be { to }'],
    ['POST /clock/set', undefined, 'The body is missing'],
    ['POST /clock/pause', { now: true }, 'accepts no body'],
    ['POST /faults', { kind: 'explode' }, "A fault's kind must be one of"],
    ['POST /faults', { kind: 'status', status: 503, tims: 1 }, "did you mean 'times'?"],
    ['POST /faults?where=x', { kind: 'lost' }, 'where is not a documented field'],
    ['POST /outcomes', { platform: 'myspace', error: 'x' }, 'platform must be one of'],
    ['POST /outcomes', { eror: 'x' }, "did you mean 'error'?"],
  ])('is refused in words: %s %j', async (route, body, message) => {
    const told = await controlled().send(route, body);
    expect(told.status).toBe(400);
    expect((told.body as { error: string }).error).toContain(message);
  });
});

describe('inspection', () => {
  async function published() {
    const all = controlled();
    const { id } = all.service.seed.integration({ platform: 'tiktok' });
    all.service.seed.subscription({ webhook: { url: 'https://app.test/hook' } });
    const body = { content: 'a', publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] };
    await raw(all.service, 'POST /v1/posts/', body);
    await all.service.settled();
    return all;
  }

  it('requests and deliveries, the latest of them, each with an ID', async () => {
    const { service, send } = await published();
    await raw(service, 'GET /v1/posts/');
    expect((await send('GET /requests?limit=1')).body).toMatchObject({
      requests: [{ id: 'request_2', method: 'GET' }],
    });
    expect((await send('GET /deliveries')).body).toMatchObject({ deliveries: [{ id: 'delivery_1', ok: true }] });
    expect((await send('DELETE /requests')).body).toEqual({ removed: 2 });
    expect((await send('GET /requests')).body).toEqual({ requests: [] });
    expect((await send('GET /requests?limit=0')).status).toBe(400);
  });

  it('requests and deliveries about one post: its creation and its edits, not the lists that contain it', async () => {
    const { service, send } = await published();
    const { id: accountId } = service.seed.integration({ platform: 'tiktok' });
    const platforms = [{ platform: 'tiktok', accountId }];
    const schedule = { content: 'b', scheduledFor: '2036-01-01T00:00:00Z', platforms };
    const { postId } = (await raw(service, 'POST /v1/posts/', schedule)).body as { postId: string };
    await raw(service, 'GET /v1/posts/');
    await raw(service, `PUT /v1/posts/scheduled/${postId}`, { content: 'c', platforms });
    await service.settled();
    const about = async (list: string) =>
      Object.values((await send(list)).body as object)[0] as { path: string; id: string }[];
    const requests = await about(`GET /requests?post=${postId}`);
    expect(requests.map(({ id }) => id)).toEqual(['request_2', 'request_4']);
    expect(await about(`GET /requests?post=${postId}&limit=1`)).toMatchObject([{ id: 'request_4' }]);
    expect(await about(`GET /deliveries?post=${postId}`)).toMatchObject([{ eventType: 'post.scheduled' }]);
    expect(await about('GET /requests?post=post_1')).toMatchObject([{ id: 'request_1' }]);
    expect(await about('GET /deliveries?post=post_')).toEqual([]);
    expect(service.latestRequests(5, { postId })).toHaveLength(2);
  });

  it('requests with their replies, also those of faults', async () => {
    const { service, send } = controlled();
    service.faults.add({
      route: 'GET /v1/comment-automations/',
      kind: 'status',
      status: 503,
      headers: { 'Retry-After': '7' },
    });
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit' });
    await raw(service, 'GET /v1/posts/');
    await raw(service, 'GET /v1/comment-automations/');
    await raw(service, 'POST /v1/posts/', { saveAsDraft: true }).catch(() => undefined);
    const { requests } = (await send('GET /requests')).body as { requests: Record<string, unknown>[] };
    expect(requests.map(({ status, reply }) => ({ status, reply }))).toEqual([
      {
        status: 200,
        reply: {
          headers: expect.objectContaining({ 'content-type': 'application/json' }) as unknown,
          body: '{"success":true,"total":0,"posts":[]}',
        },
      },
      {
        status: 503,
        reply: {
          headers: expect.objectContaining({ 'retry-after': '7' }) as unknown,
          body: expect.stringContaining('"success":false') as unknown,
        },
      },
      { status: undefined, reply: undefined },
    ]);
    expect(service.requests[0]).toMatchObject({ reply: { body: '{"success":true,"total":0,"posts":[]}' } });
  });

  it('the first 4,096 characters of a long reply, and a state keeps them', async () => {
    const { service, send } = controlled();
    for (let count = 0; count < 30; count += 1)
      service.seed.post({ content: `A text of some length, number ${String(count)}` });
    const { body } = await raw(service, 'GET /v1/posts/?limit=30');
    const { requests } = (await send('GET /requests')).body as { requests: { reply: { body: string } }[] };
    expect(requests[0]?.reply.body).toBe(JSON.stringify(body).slice(0, 4096));
    const other = createEmulator({ state: service.snapshot().toJSON() });
    // A state does not contain the access key.
    expect(other.requests.map(({ reply }) => reply)).toEqual(service.requests.map(({ reply }) => reply));
  });

  it('subscriptions and apps, which no operation lists', async () => {
    const { service, send } = await published();
    const app = { platform: 'tiktok', name: 'Ours', clientId: 'c', clientSecret: 's' };
    await raw(service, 'POST /v1/apps/', app);
    const { body } = await send('GET /subscriptions');
    expect(body).toMatchObject({
      subscriptions: [{ webhook: { secret: expect.stringMatching(/^whsec_/) as unknown } }],
    });
    expect((await send('GET /apps')).body).toMatchObject({ apps: [{ name: 'Ours' }] });
  });

  it('a delivery goes out again, twice if asked, signed anew', async () => {
    const { service, send } = await published();
    await send('POST /clock/advance', { minutes: 10 });
    const { body } = await send('POST /deliveries/delivery_1/replay', { times: 2 });
    const [first, second] = (
      body as { deliveries: { replayOf: string; eventId: string; headers: Record<string, string> }[] }
    ).deliveries;
    const [original] = service.deliveries;
    expect([first?.replayOf, second?.replayOf]).toEqual(['delivery_1', 'delivery_1']);
    expect(first?.eventId).toBe(original?.eventId);
    expect(first?.headers['X-Service-Timestamp']).not.toBe(original?.headers['X-Service-Timestamp']);
    expect(service.deliveries).toHaveLength(3);
    expect((await send('POST /deliveries/delivery_9/replay')).status).toBe(404);
  });

  it('a reset puts the start back, or nothing, or the demo', async () => {
    const service = (await published()).service;
    const { send } = controlled(service);
    const count = service.posts.length;
    service.seed.post({ content: 'later' });
    await send('POST /reset');
    expect(service.posts).toHaveLength(count);
    await send('POST /reset', { to: 'empty' });
    expect(service.posts).toHaveLength(0);
    await send('POST /reset', { to: 'demo' });
    expect(service.posts).toHaveLength(60);
    expect((await send('POST /reset', { to: 'yesterday' })).status).toBe(400);
  });
});

describe('the state', () => {
  it('goes out of one emulator and into another, whole', async () => {
    const one = controlled();
    one.service.seed.demo();
    const { body } = await one.send('GET /state');
    const other = controlled();
    expect((await other.send('PUT /state', body)).status).toBe(200);
    expect((await other.send('GET /state')).body).toEqual(body);
    expect(other.service.posts).toEqual(one.service.posts);
  });

  it('is refused in words where it is broken or of a later version, and nothing is changed', async () => {
    const { service, send } = controlled();
    service.seed.demo();
    const { body } = await send('GET /state');
    for (const [state, message] of [
      [{ ...(body as object), version: 2 }, 'of version 2'],
      [{ ...(body as object), posts: 5 }, 'posts must be an array'],
      [{}, 'format'],
    ] as const) {
      const told = await send('PUT /state', state);
      expect(told.status).toBe(400);
      expect((told.body as { error: string }).error).toContain(message);
    }
    expect((await send('GET /state')).body).toEqual(body);
  });
});

describe('its own description', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const { body } = await controlled().send('GET /openapi.json');
    const result = await new Validator().validate(structuredClone(body) as Record<string, unknown>);
    expect(result.valid, JSON.stringify(result.errors)).toBe(true);
  });

  it('has every route, each with a unique ID', async () => {
    const { body } = await controlled().send('GET /openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
    const written = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(written.sort()).toEqual(allRoutes.map(({ route }) => route.replace(' ', ' /_emulator')).sort());
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('unknown routes and unsupported methods are refused with an explanation', async () => {
    const { send } = controlled();
    expect(await send('GET /clok')).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('openapi.json') as unknown },
    });
    expect(await send('DELETE /clock')).toMatchObject({ status: 405 });
    expect(await send('GET /clock?now=1')).toMatchObject({ status: 400 });
  });
});
