import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { newGate } from '../../support/gate.js';
import { listening } from '../../support/listening.js';
import { raw, start, world } from '../world.js';

const secret = 'whsec_of-this-test';
const hour = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** An emulator with one account and a receiver with scripted replies. */
function receiving(
  answer: (request: Request, count: number) => Response | Promise<Response>,
  options: EmulatorOptions = {},
) {
  const received: { headers: Headers; body: string }[] = [];
  const deliver = async (request: Request) => {
    received.push({ headers: request.headers, body: await request.clone().text() });
    return answer(request, received.length);
  };
  const service = createEmulator({ now: () => start, deliver, ...options });
  const { id } = service.seed.integration({ platform: 'tiktok', id: 'acc', profileId: 'brand' });
  return { service, received, accountId: id };
}

const ok = () => new Response(null, { status: 204 });
const platforms = [{ platform: 'tiktok', accountId: 'acc' }];
const publish = (service: Emulator, extra: object = {}) =>
  raw(service, 'POST /v1/posts/', { content: 'Hi', publishNow: true, platforms, ...extra });
const schedule = (service: Emulator, at = start + hour) =>
  raw(service, 'POST /v1/posts/', { content: 'Hi', scheduledFor: iso(at), platforms });
const subscribe = (service: Emulator, fields: object = {}) =>
  service.seed.subscription({ webhook: { url: 'https://app.test/hook', secret }, ...fields });

describe('an event', () => {
  it("passes verifyWebhook at the emulator's time, with the documented payload", async () => {
    const { service, received, accountId } = receiving(ok);
    const { id: subscriptionId } = subscribe(service);
    const reply = await publish(service);
    const { postId } = reply.body as { postId: string };
    await service.clock.advance({ seconds: 0 });
    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: new Headers(), body: '' }] = received;
    const event = await verifyWebhook({ headers, body, secret, now: () => start });
    expect(event).toMatchObject({
      known: true,
      version: '1',
      type: 'post.published',
      createdAt: iso(start),
      projectId: 'project_1',
      profileId: null,
      data: {
        post: {
          id: postId,
          status: 'published',
          content: 'Hi',
          scheduledFor: null,
          publishedAt: iso(start),
          mediaItems: [],
          links: {
            service: expect.stringContaining(postId) as unknown,
            api: expect.stringContaining(`/v1/posts/${postId}`) as unknown,
          },
        },
        platforms: [
          {
            platform: 'tiktok',
            integrationId: accountId,
            profileId: 'brand',
            platformPostId: 'tiktok_1',
            platformPostUrl: 'https://www.tiktok.com/tiktok_1',
            publishedAt: iso(start),
            errorMessage: null,
            warningMessage: null,
          },
        ],
      },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-service-event-id': event.id,
      'x-service-event-type': 'post.published',
      'x-service-timestamp': String(start / 1000),
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
    });
    expect(service.deliveries).toEqual([
      {
        id: 'delivery_1',
        subscriptionId,
        eventId: event.id,
        eventType: 'post.published',
        attempt: 1,
        url: 'https://app.test/hook',
        at: iso(start),
        ok: true,
        status: 204,
        headers: expect.objectContaining({ 'X-Service-Event-Id': event.id }) as unknown,
        body,
      },
    ]);
  });

  it('goes out right after the reply, without the clock being moved', async () => {
    const delivered = newGate();
    const { service } = receiving(() => {
      delivered.open();
      return ok();
    });
    subscribe(service);
    await publish(service);
    await delivered.opened;
    await service.settled();
    expect(service.deliveries).toMatchObject([{ ok: true }]);
  });

  it('does not hold up the reply that caused it', async () => {
    let answer = (_: Response) => {};
    const { service } = receiving(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    subscribe(service);
    expect(await publish(service)).toMatchObject({ status: 200 });
    const settled = service.settled();
    await Promise.resolve();
    while (service.deliveries.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      answer(ok());
    }
    await settled;
  });
});

describe('the rules of events', () => {
  const types = (service: Emulator) => service.deliveries.map(({ eventType }) => eventType);

  it('a scheduled post sends an event for its acceptance, and one for its end', async () => {
    const { service } = receiving(ok);
    subscribe(service);
    await schedule(service);
    await service.clock.advance({ days: 3 });
    expect(types(service)).toEqual(['post.scheduled', 'post.published']);
  });

  it('a post published now sends only an event for its end', async () => {
    const { service } = receiving(ok);
    subscribe(service);
    await publish(service);
    await service.clock.advance({ days: 3 });
    expect(types(service)).toEqual(['post.published']);
  });

  it("the payload holds every target's result", async () => {
    const { service, received } = receiving(ok);
    service.seed.integration({ platform: 'bluesky', id: 'sky' });
    service.publishing.outcome({ platform: 'bluesky', error: 'too long' });
    subscribe(service);
    await publish(service, { platforms: [...platforms, { platform: 'bluesky', accountId: 'sky' }] });
    await service.clock.advance({ seconds: 0 });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      type: 'post.partial',
      data: {
        platforms: [
          { integrationId: 'acc', errorMessage: null },
          { integrationId: 'sky', errorMessage: 'too long', platformPostId: null },
        ],
      },
    });
  });

  it("a subscription of a profile gets only that profile's targets, and no event without such targets", async () => {
    const { service, received } = receiving(ok);
    service.seed.integration({ platform: 'bluesky', id: 'sky' });
    subscribe(service, { profileId: 'brand' });
    await publish(service, { platforms: [{ platform: 'bluesky', accountId: 'sky' }, ...platforms] });
    await publish(service, { platforms: [{ platform: 'bluesky', accountId: 'sky' }] });
    await service.clock.advance({ seconds: 0 });
    const events = received.map(
      ({ body }) => JSON.parse(body) as { profileId: string; data: { platforms: unknown[] } },
    );
    expect(events).toMatchObject([{ profileId: 'brand', data: { platforms: [{ integrationId: 'acc' }] } }]);
    expect(events[0]?.data.platforms).toHaveLength(1);
  });

  it('with onlyScheduledPosts, final events come only for posts that were scheduled', async () => {
    const { service } = receiving(ok);
    subscribe(service, { onlyScheduledPosts: true });
    await publish(service);
    await schedule(service);
    await service.clock.advance({ hours: 1 });
    expect(types(service)).toEqual(['post.scheduled', 'post.published']);
  });

  it('only the event types that were asked for are sent, and none to a subscription that is off', async () => {
    const { service } = receiving(ok);
    subscribe(service, { eventTypes: ['post.failed'] });
    subscribe(service, { enabled: false });
    subscribe(service, { channel: 'email', email: { recipients: ['a@b.test'] } });
    await publish(service);
    service.publishing.outcome({ error: 'no' });
    await publish(service);
    await service.clock.advance({ seconds: 0 });
    expect(types(service)).toEqual(['post.failed']);
  });

  it('takes the filters that the document mentions from the create, under the names of the resource', async () => {
    const { service } = receiving(ok);
    const body = {
      channel: 'webhook',
      eventTypes: ['post.published'],
      webhook: { url: 'https://app.test/' },
      onlyScheduledPosts: true,
      enabled: false,
      profileId: 'brand',
    };
    expect(await raw(service, 'POST /v1/notifications/', body)).toMatchObject({
      status: 200,
      body: { notification: { onlyScheduledPosts: true, enabled: false, profileId: 'brand' } },
    });
  });
});

describe('the record of a delivery', () => {
  it("has the receiver's reply and the time until it", async () => {
    const server = createServer((_, response) => {
      setTimeout(() => response.writeHead(500).end('{"error":"database is locked"}'), 20);
    });
    const { url } = await listening(server);
    const service = createEmulator({ now: () => start });
    service.seed.integration({ platform: 'tiktok', id: 'acc' });
    service.seed.subscription({ webhook: { url } });
    await publish(service);
    await expect.poll(() => service.deliveries.length).toBeGreaterThan(0);
    const [delivery] = service.deliveries;
    expect(delivery).toMatchObject({ status: 500, reply: '{"error":"database is locked"}' });
    expect(delivery?.latencyMs).toBeGreaterThan(0);
  });

  it('has 4,096 characters of a long reply, and what arrived of one that breaks off or never ends', async () => {
    const streamOf = (text: string, next: (stream: ReadableStreamDefaultController<Uint8Array>) => void) => {
      let pulls = 0;
      return new ReadableStream<Uint8Array>({
        pull(stream) {
          pulls += 1;
          if (pulls > 1) next(stream);
          else stream.enqueue(new TextEncoder().encode(text));
        },
      });
    };
    const bodies = [
      'ü'.repeat(10_000),
      streamOf('cut', (stream) => {
        setTimeout(() => {
          stream.error(new Error('reset'));
        }, 50);
      }),
      streamOf('still open', () => undefined),
    ];
    const { service } = receiving((_, count) => new Response(bodies[count - 1], { status: 500 }));
    subscribe(service);
    await publish(service);
    await service.clock.advance({ hours: 1 });
    const replies = service.deliveries.map(({ reply = '' }) => reply);
    expect(replies).toEqual(['ü'.repeat(4_096), 'cut', 'still open']);
  });

  it('has no reply if there was none, and no latency without a network', async () => {
    const { service } = receiving(ok);
    service.deliveryFaults.add({ kind: 'lost', times: 1 });
    subscribe(service);
    await publish(service);
    await publish(service);
    await expect.poll(() => service.deliveries.length).toBe(2);
    expect(service.deliveries.some((delivery) => 'reply' in delivery || 'latencyMs' in delivery)).toBe(false);
  });
});

describe('a delivery that fails', () => {
  it('has no next attempt if it is a replay, is lost, or is the second of two at the same time', async () => {
    const { service } = receiving(() => new Response(null, { status: 500 }));
    subscribe(service);
    service.deliveryFaults.add({ kind: 'concurrent', times: 1 });
    await publish(service);
    await expect.poll(() => service.deliveries.length).toBe(2);
    expect(service.deliveries.map(({ retryAt }) => retryAt)).toEqual([iso(start + 30_000), undefined]);
    expect((await service.replay(service.deliveries[0]?.id ?? '')).retryAt).toBeUndefined();
    service.deliveryFaults.add({ kind: 'lost', times: 1 });
    await publish(service);
    await expect.poll(() => service.deliveries.length).toBe(4);
    expect(service.deliveries[3]?.retryAt).toBeUndefined();
  });

  it('is tried three times with the same event ID, the waits doubling, each attempt signed anew', async () => {
    const { service, received } = receiving(() => new Response(null, { status: 500 }));
    subscribe(service);
    await publish(service);
    await service.clock.advance({ hours: 48 });
    expect(
      service.deliveries.map(({ attempt, at, status, ok, retryAt }) => ({ attempt, at, status, ok, retryAt })),
    ).toEqual([
      { attempt: 1, at: iso(start), status: 500, ok: false, retryAt: iso(start + 30_000) },
      { attempt: 2, at: iso(start + 30_000), status: 500, ok: false, retryAt: iso(start + 90_000) },
      { attempt: 3, at: iso(start + 90_000), status: 500, ok: false, retryAt: undefined },
    ]);
    expect(new Set(service.deliveries.map(({ eventId }) => eventId)).size).toBe(1);
    for (const [index, { headers, body }] of received.entries()) {
      const now = () => start + (index === 0 ? 0 : index === 1 ? 30_000 : 90_000);
      await verifyWebhook({ headers, body, secret, toleranceSeconds: 1, now });
    }
  });

  it('ends with the first 2xx', async () => {
    const { service } = receiving((_, count) => new Response(null, { status: count === 1 ? 503 : 200 }));
    subscribe(service);
    await publish(service);
    await service.clock.advance({ hours: 48 });
    expect(service.deliveries.map(({ status }) => status)).toEqual([503, 200]);
  });

  it('fails if it is redirected, throws, or does not answer in time', async () => {
    const { service } = receiving(
      (request, count) => {
        if (count === 1) return new Response(null, { status: 302, headers: { location: 'https://else.test/' } });
        if (count === 2) throw new Error('no route to host');
        return new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => {
            reject(request.signal.reason as Error);
          });
        });
      },
      { deliveryTimeoutMs: 20 },
    );
    subscribe(service);
    await publish(service);
    await service.clock.advance({ hours: 1 });
    expect(service.deliveries.map(({ status, error }) => status ?? error)).toEqual([
      302,
      'no route to host',
      'timed out',
    ]);
  });

  it('happens in order with what else is due: a retry comes before a later publication', async () => {
    const { service } = receiving((_, count) => new Response(null, { status: count === 1 ? 500 : 200 }));
    subscribe(service);
    await schedule(service, start + 60_000);
    await service.clock.advance({ hours: 1 });
    expect(service.deliveries.map(({ eventType, at }) => `${eventType} ${at}`)).toEqual([
      `post.scheduled ${iso(start)}`,
      `post.scheduled ${iso(start + 30_000)}`,
      `post.published ${iso(start + 60_000)}`,
    ]);
  });

  it("of one subscription does not touch another's", async () => {
    const { service } = receiving((request) => new Response(null, { status: request.url.endsWith('bad') ? 500 : 200 }));
    subscribe(service, { webhook: { url: 'https://app.test/bad', secret } });
    subscribe(service, { webhook: { url: 'https://app.test/good', secret } });
    await publish(service);
    await service.clock.advance({ hours: 1 });
    expect(service.deliveries.filter(({ url }) => url.endsWith('good'))).toHaveLength(1);
    expect(service.deliveries.filter(({ url }) => url.endsWith('bad'))).toHaveLength(3);
  });
});

describe('deliveries of one instant to several subscriptions', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const subscribeAll = (service: Emulator) => {
    // Bodies and secrets of unlike lengths take unlike times to sign.
    for (const [index, name] of names.entries()) {
      subscribe(service, {
        webhook: { url: `https://app.test/${name}`, secret: 's'.repeat(1 + ((index * 7919) % 8) * 40_000) },
      });
    }
  };
  const path = (url: string) => new URL(url).pathname.slice(1);

  it('start in the order of the subscriptions, every time', async () => {
    for (let run = 0; run < 10; run += 1) {
      const called: string[] = [];
      const service = createEmulator({
        now: () => start,
        deliver: ({ url }) => {
          called.push(path(url));
          return ok();
        },
      });
      service.seed.integration({ platform: 'tiktok', id: 'acc' });
      subscribeAll(service);
      await publish(service);
      await publish(service);
      await service.settled();
      expect(called).toEqual([...names, ...names]);
      expect(service.deliveries.map(({ url }) => path(url))).toEqual([...names, ...names]);
    }
  });

  it('are recorded in send order, in any order of replies', async () => {
    const answers: (() => void)[] = [];
    const service = createEmulator({
      now: () => start,
      deliver: () =>
        new Promise<Response>((resolve) =>
          answers.push(() => {
            resolve(ok());
          }),
        ),
    });
    service.seed.integration({ platform: 'tiktok', id: 'acc' });
    subscribeAll(service);
    await publish(service);
    const settled = service.settled();
    while (answers.length < names.length) await new Promise((resolve) => setImmediate(resolve));
    for (const answer of answers.reverse()) {
      answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settled;
    expect(service.deliveries.map(({ url }) => path(url))).toEqual(names);
  });

  it('go on past a receiver that hangs', async () => {
    const called: string[] = [];
    const released = newGate();
    const deliver = async ({ url }: Request) => {
      called.push(path(url));
      if (path(url) === 'a' && called.length === 1) await released.opened;
      return ok();
    };
    const service = createEmulator({ now: () => start, deliver });
    service.seed.integration({ platform: 'tiktok', id: 'acc' });
    subscribe(service, { webhook: { url: 'https://app.test/a', secret } });
    subscribe(service, { webhook: { url: 'https://app.test/b', secret } });
    await publish(service);
    await publish(service);
    while (called.length < 3) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(called).toEqual(['a', 'b', 'b']);
    expect(service.deliveries.map(({ url }) => path(url))).toEqual(['b', 'b']);
    released.open();
    await service.settled();
    expect(service.deliveries.map(({ url }) => path(url))).toEqual(['a', 'b', 'a', 'b']);
  });
});

describe('deliveries on request', () => {
  const ids = (received: { body: string }[]) => received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

  it('come twice', async () => {
    const { service, received } = receiving(ok);
    subscribe(service);
    service.deliveryFaults.add({ kind: 'duplicate', times: 1 });
    await schedule(service);
    await service.clock.advance({ hours: 1 });
    expect(ids(received)).toEqual(['post.scheduled', 'post.scheduled', 'post.published']);
    expect(received[0]?.body).toBe(received[1]?.body);
  });

  it('arrive out of order', async () => {
    const { service, received } = receiving(ok);
    subscribe(service);
    service.deliveryFaults.add({ kind: 'reorder', eventType: 'post.scheduled' });
    await schedule(service);
    await service.clock.advance({ hours: 1 });
    expect(ids(received)).toEqual(['post.published', 'post.scheduled']);
  });

  it('come late', async () => {
    const { service } = receiving(ok);
    subscribe(service);
    service.deliveryFaults.add({ kind: 'delay', delayMs: 5000, eventType: 'post.scheduled' });
    await schedule(service);
    await service.clock.advance({ seconds: 4 });
    expect(service.deliveries).toEqual([]);
    await service.clock.advance({ seconds: 1 });
    expect(service.deliveries).toMatchObject([{ attempt: 1, at: iso(start + 5000), ok: true }]);
  });

  it('time out without a wait, and are tried again', async () => {
    const { service, received } = receiving(ok);
    subscribe(service);
    const remove = service.deliveryFaults.add({ kind: 'timeout', times: 2 });
    await publish(service);
    await service.clock.advance({ minutes: 2 });
    expect(service.deliveries.map(({ error }) => error)).toEqual(['timed out', 'timed out', undefined]);
    expect(received).toHaveLength(1);
    remove();
  });

  it.each([
    [{ kind: 'gone' }, /kind/],
    [{ kind: 'delay' }, /delayMs/],
    [{ kind: 'duplicate', eventType: 'post.deleted' }, /eventType/],
    [{ kind: 'duplicate', times: 0 }, /times/],
    [{ kind: 'duplicate', probability: 2 }, /probability/],
  ])('are refused where they make no sense: %j', (fault, message) => {
    const { service } = receiving(ok);
    expect(() => service.deliveryFaults.add(fault as never)).toThrow(message);
  });
});

it('waits for a receiver also with a time-out that no timer can hold', async () => {
  const { service, client, platforms } = world({
    deliveryTimeoutMs: 2 ** 31,
    deliver: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new Response();
    },
  });
  service.seed.subscription({ webhook: { url: 'https://app.test/' } });
  await client.posts.create({ publishNow: true, platforms });
  await service.settled();
  expect(service.deliveries).toMatchObject([{ ok: true }]);
});

describe("a reply of another library's Response", () => {
  async function answeredWith(body: unknown) {
    const { service, received } = receiving(() => ({ ok: true, status: 200, body }) as unknown as Response);
    subscribe(service);
    await publish(service);
    await service.clock.advance({ hours: 1 });
    expect(received).toHaveLength(1);
    expect(service.deliveries).toMatchObject([{ ok: true, status: 200 }]);
  }

  it('succeeds with a Node stream as its body, as in node-fetch, which is discarded unread', async () => {
    const body = Readable.from(['ok']);
    await answeredWith(body);
    expect(body.destroyed).toBe(true);
  });

  it.each([
    ['that is read already', { cancel: () => Promise.reject(new TypeError('locked')) }],
    [
      'that refuses at once',
      {
        cancel: () => {
          throw new TypeError('locked');
        },
      },
    ],
    ['that can only be read', {}],
    ['that is missing', null],
  ])('counts with a body %s', async (_, body) => {
    await answeredWith(body);
  });
});
