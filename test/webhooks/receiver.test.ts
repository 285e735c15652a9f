import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import {
  ConfigurationError,
  createWebhookReceiver,
  signWebhook,
  WebhookVerificationError,
  type DurableStore,
  type PostFailedEvent,
  type WebhookEvent,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from '../../src/webhooks/index.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { claimsInMemory } from '../../src/webhooks/receive/event-claims.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';
import { eventually } from '../support/eventually.js';

const url = 'https://receiver.test/hook';

/** A promise and its ends. */
function deferred<T = void>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

async function delivery(event: object | string = published, headers: Record<string, string> = {}): Promise<Request> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const all = new Headers(await signWebhook({ body, secret }));
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Request(url, { method: 'POST', body, headers: all });
}

/** A store in memory with other methods. */
function storeWith(methods: Partial<DurableStore>): DurableStore {
  return Object.assign(new MemoryDurableStore(), methods);
}

/** A handler that reports its start, and continues on command. */
function slowHandler() {
  const [started, finish] = [deferred(), deferred()];
  const handler = vi.fn(() => {
    started.resolve();
    return finish.promise;
  });
  return { handler, started: started.promise, finish: finish.resolve, fail: finish.reject };
}

async function statuses(receiver: WebhookReceiver, ...events: (object | string)[]): Promise<number[]> {
  const found: number[] = [];
  for (const event of events) found.push((await receiver.fetch(await delivery(event))).status);
  return found;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a webhook receiver', () => {
  it('handles an event and answers 200 with a short JSON body', async () => {
    const { receiver, handled } = setUp();
    const response = await receiver.fetch(await delivery());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.text()).toBe('{"received":true}');
    expect(handled).toEqual([{ ...published, known: true }]);
  });

  it('hands each type of event to its own handler, typed, and the rest to default', async () => {
    const seen: string[] = [];
    const { receiver } = setUp({
      on: {
        'post.published': (event) => seen.push(`published ${event.data.post.id}`),
        'post.failed': (event) => {
          expectTypeOf(event).toEqualTypeOf<PostFailedEvent>();
          seen.push(`failed ${event.data.post.id}`);
        },
        default: (event) => {
          expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
          seen.push(`default ${event.known ? event.type : String(event.payload.type)}`);
        },
      },
    });
    const of = (type: string, change: object = {}) => ({
      ...published,
      id: `evt ${String(seen.length)} ${type}`,
      type,
      ...change,
    });
    const events = [
      of('post.published'),
      of('post.failed'),
      of('post.partial'),
      of('post.new'),
      of('post.published', { data: {}, id: 'evt x' }),
    ];
    expect(await statuses(receiver, ...events)).toEqual([200, 200, 200, 200, 200]);
    expect(seen).toEqual([
      'published post_1',
      'failed post_1',
      'default post.partial',
      'default post.new',
      'default post.published',
    ]);
  });

  it('takes the handlers of an instance', async () => {
    class Handlers {
      readonly #name = 'published';
      'post.published'() {
        return seen.push(this.#name);
      }
    }
    const seen: string[] = [];
    const { receiver } = setUp({ on: new Handlers() });
    expect(await statuses(receiver, published)).toEqual([200]);
    expect(seen).toEqual(['published']);
  });

  it('acknowledges an event without a handler, and asks the store nothing', async () => {
    const store = new MemoryDurableStore();
    const { receiver } = setUp({ on: { 'post.failed': () => expect.unreachable() }, store });
    expect(await statuses(receiver, published)).toEqual([200]);
    expect(store.size).toBe(0);
  });

  it('handles each event ID once', async () => {
    const { receiver, handled } = setUp();
    const other = { ...published, id: 'evt_2' };
    expect(await statuses(receiver, published, published, other, published, other)).toEqual([200, 200, 200, 200, 200]);
    expect(handled.map((event) => event.id)).toEqual(['evt_1', 'evt_2']);
  });

  it.each(['{}', '{"id":""}', '{"id":5}'])('handles every delivery of %s, which has no ID', async (body) => {
    const { receiver, handled } = setUp();
    expect(await statuses(receiver, body, body)).toEqual([200, 200]);
    expect(handled).toHaveLength(2);
  });

  it('does not acknowledge an attempt that comes while the first is handled', async () => {
    const { handler, started, finish } = slowHandler();
    const { receiver } = setUp({ on: { default: handler } });
    const first = receiver.fetch(await delivery());
    await started;
    const second = await receiver.fetch(await delivery());
    expect(second.status).toBe(503);
    finish();
    expect((await first).status).toBe(200);
    expect(await statuses(receiver, published)).toEqual([200]);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('answers 500 to a handler that throws, and handles the next attempt', async () => {
    const boom = new Error('boom');
    const handler = vi
      .fn()
      .mockRejectedValueOnce(boom)
      .mockImplementationOnce(() => {
        throw boom;
      })
      .mockResolvedValue(undefined);
    const onError = vi.fn();
    const { receiver } = setUp({ on: { default: handler }, onError });
    expect(await statuses(receiver, published, published, published, published)).toEqual([500, 500, 200, 200]);
    expect(handler).toHaveBeenCalledTimes(3);
    expect(onError).toHaveBeenCalledTimes(2);
    expect(onError).toHaveBeenCalledWith(boom, {
      event: { ...published, known: true },
      request: expect.any(Request) as unknown,
      attempt: 1,
      last: false,
    });
  });

  it('passes the attempt to onError, and whether it was the last of the three', async () => {
    const told: object[] = [];
    const { receiver } = setUp({
      on: { default: () => Promise.reject(new Error('boom')) },
      onError: (_, { event, attempt, last }) => told.push({ id: event?.id, attempt, last }),
    });
    const other = { ...published, id: 'evt_2' };
    await statuses(receiver, published, other, published, published, other);
    expect(told).toEqual([
      { id: 'evt_1', attempt: 1, last: false },
      { id: 'evt_2', attempt: 1, last: false },
      { id: 'evt_1', attempt: 2, last: false },
      { id: 'evt_1', attempt: 3, last: true },
      { id: 'evt_2', attempt: 2, last: false },
    ]);
  });

  it('counts no attempts without an ID, or without an event', async () => {
    const told: object[] = [];
    const { receiver } = setUp({
      on: { default: () => Promise.reject(new Error('boom')) },
      onError: (_, context) => told.push(Object.keys(context)),
      secret: vi.fn().mockRejectedValueOnce(new Error('vault')).mockResolvedValue(secret),
    });
    expect(await statuses(receiver, published, '{"a":1}')).toEqual([500, 500]);
    expect(told).toEqual([['request'], ['event', 'request']]);
  });

  it('says that the last attempt failed where the others came while its slow handler ran', async () => {
    const { handler, started, fail } = slowHandler();
    const onError = vi.fn();
    const { receiver } = setUp({ on: { default: handler }, onError, ackTimeoutMs: 100 });
    const first = receiver.fetch(await delivery());
    await started;
    expect(await statuses(receiver, published, published)).toEqual([503, 503]);
    fail(new Error('boom'));
    await first;
    expect(onError).toHaveBeenCalledWith(new Error('boom'), expect.objectContaining({ attempt: 1, last: true }));
  });

  it('writes unhandled reports to the console', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const receiver = createWebhookReceiver({ secret, on: { default: () => Promise.reject(new Error('boom')) } });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(log).toHaveBeenCalledWith(
      `A webhook event was not handled (${published.type} ${published.id}, attempt 1, will be retried):`,
      new Error('boom'),
    );
  });

  it('writes an error without an event to the console', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const vault = new Error('vault');
    const receiver = createWebhookReceiver({ secret: () => Promise.reject(vault), on: { default: () => undefined } });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(log.mock.calls).toEqual([['A webhook event was not handled:', vault]]);
  });

  it.each(['toString', '__proto__', 'default'])('passes an event of the unknown type %s to default', async (type) => {
    const seen = vi.fn();
    const { receiver, errors } = setUp({ on: { 'post.failed': () => expect.unreachable(), default: seen } });
    expect(await statuses(receiver, { ...published, type })).toEqual([200]);
    expect([seen.mock.calls.length, errors]).toEqual([1, []]);
  });

  it('writes one refused delivery of each kind to the console if there is no onRejected', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue();
    const refusal = (code: string) =>
      new RegExp(
        `^A webhook delivery was refused \\(${code}\\): .* Later refusals with this code are not logged\\. Pass onRejected to handle them\\.$`,
      );
    const receiver = createWebhookReceiver({ secret: 'another', on: { default: () => undefined } });
    expect(await statuses(receiver, published, published, published)).toEqual([401, 401, 401]);
    const headers = { 'content-type': 'application/json' };
    const unsigned = await receiver.fetch(new Request(url, { method: 'POST', body: '{}', headers }));
    expect(unsigned.status).toBe(401);
    expect(log.mock.calls.flat()).toEqual([
      expect.stringMatching(refusal('signature_mismatch')),
      expect.stringMatching(refusal('missing_header')),
    ]);
    expect(inspect(log.mock.calls)).not.toContain('another');
  });

  it('takes several secrets', async () => {
    expect(await statuses(setUp({ secret: ['the new one', secret] }).receiver, published)).toEqual([200]);
  });

  it('asks a function for its secrets at each delivery, so that they can be rotated', async () => {
    const asked = vi
      .fn<() => string | string[] | Promise<string>>()
      .mockReturnValueOnce('the old one')
      .mockReturnValueOnce(['the old one', secret])
      .mockResolvedValueOnce(secret);
    const { receiver, rejected } = setUp({ secret: asked });
    const other = { ...published, id: 'evt_2' };
    expect(await statuses(receiver, published, published, other)).toEqual([401, 200, 200]);
    expect(rejected.map((error) => error.code)).toEqual(['signature_mismatch']);
    expect(asked).toHaveBeenCalledTimes(3);
  });

  it('asks for no secret where the headers are not right', async () => {
    const asked = vi.fn(() => secret);
    const { receiver } = setUp({ secret: asked });
    const response = await receiver.fetch(await delivery(published, { 'x-service-timestamp': 'x' }));
    expect([response.status, asked.mock.calls.length]).toEqual([401, 0]);
  });

  it.each<[string, () => string | Promise<string>]>([
    [
      'throws',
      () => {
        throw new Error('vault');
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault'))],
    ['gives nothing', () => ''],
    ['gives a masked secret', () => 'whk_***'],
  ])('answers 500 where the function for secrets %s, so that the service retries', async (_, asked) => {
    const { receiver, handled, errors } = setUp({ secret: asked });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(handled).toEqual([]);
    expect(errors).toEqual([expect.any(Error)]);
  });

  it.each([undefined, { pipe: () => undefined }])(
    'reads a Request without a web stream: its body is %j',
    async (body) => {
      const { receiver, handled } = setUp();
      const request = await delivery();
      Object.defineProperty(request, 'body', { value: body });
      expect((await receiver.fetch(request)).status).toBe(200);
      expect(handled).toHaveLength(1);
    },
  );

  it.each(['a Node stream', 'bytes'])('limits the body of a Request that has %s', async (kind) => {
    const { receiver, handled } = setUp();
    const request = await delivery();
    const long = new Uint8Array(2_000_000);
    Object.defineProperty(request, 'body', { value: kind === 'bytes' ? long : Readable.from([long]) });
    request.arrayBuffer = () => Promise.resolve(long.buffer);
    expect((await receiver.fetch(request)).status).toBe(413);
    expect(handled).toEqual([]);
  });

  it('works unbound', async () => {
    const { fetch } = setUp().receiver;
    expect((await fetch(await delivery())).status).toBe(200);
  });
});

describe('a webhook receiver answers in time', () => {
  it('with 503, while a slow handler goes on; the next attempt finds it in progress, then done', async () => {
    const { handler, started, finish } = slowHandler();
    const { receiver } = setUp({ on: { default: handler } });
    const first = receiver.fetch(await delivery());
    await started;
    let isAnswered = false;
    void first.then(() => (isAnswered = true));
    await vi.advanceTimersByTimeAsync(7999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await first).status).toBe(503);
    expect(await statuses(receiver, published)).toEqual([503]);
    finish();
    await eventually(async () => {
      expect(await statuses(receiver, published)).toEqual([200]);
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('and releases the event if the slow handler throws in the end', async () => {
    const { handler, started, fail } = slowHandler();
    const { receiver, errors } = setUp({ on: { default: handler }, ackTimeoutMs: 100 });
    const first = receiver.fetch(await delivery());
    await started;
    await vi.advanceTimersByTimeAsync(100);
    expect((await first).status).toBe(503);
    fail(new Error('boom'));
    await eventually(() => {
      expect(errors).toHaveLength(1);
    });
    handler.mockResolvedValue(undefined);
    expect(await statuses(receiver, published)).toEqual([200]);
  });

  it('with 503 where the store does not answer', async () => {
    const asked = deferred();
    const store = storeWith({
      insert: () => {
        asked.resolve();
        return deferred<number>().promise;
      },
    });
    const { receiver, handled } = setUp({ store });
    const answer = receiver.fetch(await delivery());
    await asked.promise;
    await vi.advanceTimersByTimeAsync(8000);
    expect((await answer).status).toBe(503);
    expect(handled).toEqual([]);
  });

  it('with an error if the body does not arrive, and discards it', async () => {
    const cancelled = vi.fn();
    const body = new ReadableStream({ cancel: cancelled });
    const headers = await signWebhook({ body: '', secret });
    const { receiver, rejected, errors } = setUp();
    const answer = receiver.fetch(new Request(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit));
    await vi.advanceTimersByTimeAsync(8000);
    expect((await answer).status).toBeGreaterThanOrEqual(400);
    await eventually(() => {
      expect(cancelled).toHaveBeenCalledTimes(1);
    });
    expect([rejected, errors]).toEqual([[], []]);
  });

  it('and leaves no timer behind', async () => {
    const { receiver } = setUp();
    await statuses(receiver, published, 'not JSON');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('and asks the runtime to keep a slow handler running', async () => {
    const { handler, started, finish } = slowHandler();
    const { receiver } = setUp({ on: { default: handler }, ackTimeoutMs: 100 });
    const waitUntil = vi.fn<(work: Promise<unknown>) => void>();
    // As a Worker is called: request, environment, context.
    const answer = receiver.fetch(await delivery(), { SECRET: 'x' }, { waitUntil });
    await started;
    await vi.advanceTimersByTimeAsync(100);
    expect((await answer).status).toBe(503);
    expect(waitUntil).toHaveBeenCalledTimes(1);
    finish();
    await expect(waitUntil.mock.calls[0]?.[0]).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    [{ DB: {} }],
    [null],
    ['env'],
    [
      {
        waitUntil: () => {
          throw new Error('not here');
        },
      },
    ],
  ])('for any value of %j', async (context) => {
    const { handler, started } = slowHandler();
    const { receiver } = setUp({ on: { default: handler }, ackTimeoutMs: 100 });
    const answer = receiver.fetch(await delivery(), context);
    await started;
    await vi.advanceTimersByTimeAsync(100);
    expect((await answer).status).toBe(503);
  });
});

describe('a webhook receiver', () => {
  it('claims for leaseMs, and remembers for keepMs', async () => {
    const now = Date.now();
    const store = new MemoryDurableStore();
    const untils = async (options: Partial<WebhookReceiverOptions>) => {
      let claimed = 0;
      const until = async () => {
        const [{ data } = expect.unreachable()] = await store.scan('receiver/', undefined, 1);
        return (JSON.parse(data) as { until: number }).until - now;
      };
      const on = { default: async () => void (claimed = await until()) };
      const { receiver } = setUp({ store, on, now: () => now, ...options });
      expect(await statuses(receiver, { ...published, type: 'post.scheduled' })).toEqual([200]);
      const result = [claimed, await until()];
      for (const { key, version } of await store.scan('', undefined, 9)) await store.swap(key, version, null, null);
      return result;
    };
    expect(await untils({})).toEqual([10_000, 86_400_000]);
    // The lease follows the reply: after a crash, the next attempt must find the event free.
    expect(await untils({ ackTimeoutMs: 3000 })).toEqual([5000, 86_400_000]);
    expect(await untils({ leaseMs: 60_000, keepMs: 3_600_000 })).toEqual([60_000, 3_600_000]);
  });
});

describe('a webhook receiver without a store', () => {
  const claimAndComplete = async (claimOf: ReturnType<typeof claimsInMemory>, id: string) => {
    const claim = claimOf(id);
    if (typeof claim === 'string') return claim;
    await claim.complete();
    return 'new';
  };
  const times = { now: () => 0, keepMs: 100 };

  it('forgets the oldest of too many handled events', async () => {
    const claimOf = claimsInMemory(times, 2);
    for (const id of ['a', 'b', 'c']) expect(await claimAndComplete(claimOf, id)).toBe('new');
    expect(await claimAndComplete(claimOf, 'b')).toBe('done');
    expect(await claimAndComplete(claimOf, 'a')).toBe('new');
  });

  it('remembers 50,000 handled events', async () => {
    const claimOf = claimsInMemory(times);
    for (let i = 0; i <= 50_000; i += 1) await claimAndComplete(claimOf, String(i));
    expect(await claimAndComplete(claimOf, '1')).toBe('done');
    expect(await claimAndComplete(claimOf, '0')).toBe('new');
  });

  it('handles an event again when it is forgotten after keepMs', async () => {
    let now = Date.now();
    const { receiver, handled } = setUp({ now: () => now, toleranceSeconds: false });
    expect(await statuses(receiver, published, published)).toEqual([200, 200]);
    now += 24 * 3_600_000;
    expect(await statuses(receiver, published)).toEqual([200]);
    expect(handled).toHaveLength(2);
  });
});

describe('a webhook receiver that lives', () => {
  it('handles no event a second time while its handler runs, though the lease is over', async () => {
    let now = Date.now();
    const { handler, started, finish } = slowHandler();
    const store = new MemoryDurableStore();
    const { receiver } = setUp({ store, now: () => now, toleranceSeconds: false, on: { default: handler } });
    const first = receiver.fetch(await delivery());
    await started;
    now += 3_600_000;
    expect(await statuses(receiver, published)).toEqual([503]);
    finish();
    expect((await first).status).toBe(200);
    expect(await statuses(receiver, published)).toEqual([200]);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('handles it again where its slow handler has failed', async () => {
    let now = Date.now();
    const { handler, started, fail } = slowHandler();
    const store = new MemoryDurableStore();
    const { receiver } = setUp({ store, now: () => now, toleranceSeconds: false, on: { default: handler } });
    const first = receiver.fetch(await delivery());
    await started;
    now += 3_600_000;
    fail(new Error('boom'));
    expect((await first).status).toBe(500);
    handler.mockResolvedValue(undefined);
    expect(await statuses(receiver, published)).toEqual([200]);
  });

  it('is idle when nothing is being handled, including slow handlers and events that arrived meanwhile', async () => {
    const [one, two] = [slowHandler(), slowHandler()];
    const handlers = [one.handler, two.handler];
    const { receiver } = setUp({ on: { default: () => handlers.shift()?.() }, ackTimeoutMs: 100 });
    await receiver.idle();
    const first = receiver.fetch(await delivery());
    await one.started;
    await vi.advanceTimersByTimeAsync(100);
    expect((await first).status).toBe(503);
    let isIdle = false;
    const idle = receiver.idle().then(() => (isIdle = true));
    const second = receiver.fetch(await delivery({ ...published, id: 'evt_2' }));
    await two.started;
    one.finish();
    await vi.advanceTimersByTimeAsync(10);
    expect(isIdle).toBe(false);
    two.finish();
    expect((await second).status).toBe(200);
    await idle;
    await receiver.idle();
  });
});

describe('a webhook receiver whose store throws', () => {
  const down = () => Promise.reject(new Error('down'));

  it('handles nothing that it could not claim', async () => {
    const { receiver, handled, errors } = setUp({ store: storeWith({ insert: down }) });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(handled).toEqual([]);
    expect(errors).toEqual([new Error('down')]);
  });

  it('acknowledges nothing that it could not complete', async () => {
    const { receiver, handled, errors } = setUp({ store: storeWith({ swap: down }) });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(handled).toHaveLength(1);
    expect(errors).toEqual([new Error('down')]);
  });

  it('reports both the handler and the store if both fail', async () => {
    const on = { default: () => Promise.reject(new Error('boom')) };
    const { receiver, errors } = setUp({ store: storeWith({ swap: down }), on });
    expect(await statuses(receiver, published)).toEqual([500]);
    expect(errors).toEqual([new Error('boom'), new Error('down')]);
  });

  it('survives a store that throws at once instead of rejecting', async () => {
    const thrower = () => {
      throw new Error('down');
    };
    for (const store of [storeWith({ insert: thrower }), storeWith({ swap: thrower })]) {
      expect(await statuses(setUp({ store }).receiver, published)).toEqual([500]);
    }
  });
});

describe('a webhook receiver refuses', () => {
  async function refused(
    request: Request,
  ): Promise<{ status: number; body: string; code: string | undefined; allow: string | null }> {
    const { receiver, handled, rejected, errors } = setUp();
    const response = await receiver.fetch(request);
    expect([handled, errors]).toEqual([[], []]);
    return {
      status: response.status,
      body: await response.text(),
      code: rejected[0]?.code,
      allow: response.headers.get('allow'),
    };
  }

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    expect(await refused(new Request(url, { method }))).toMatchObject({ status: 405, allow: 'POST', code: undefined });
  });

  it.each(['application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded'])(
    'but not the content type %j: only the signature counts',
    async (type) => {
      const { receiver } = setUp();
      expect((await receiver.fetch(await delivery(published, { 'content-type': type }))).status).toBe(200);
    },
  );

  it('a text without headers', async () => {
    const response = await refused(new Request(url, { method: 'POST', body: '{}' }));
    expect(response).toMatchObject({ status: 401, code: 'missing_header' });
  });

  it('but not a delivery without content type', async () => {
    const body = new TextEncoder().encode(JSON.stringify(published));
    const headers = new Headers(await signWebhook({ body, secret }));
    headers.delete('content-type');
    expect((await setUp().receiver.fetch(new Request(url, { method: 'POST', body, headers }))).status).toBe(200);
  });

  it('a wrong signature and a missing one with the same answer', async () => {
    const wrong = await refused(await delivery(published, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` }));
    const missing = await delivery();
    missing.headers.delete('x-service-signature');
    expect(wrong).toEqual({ status: 401, body: '{"error":"unauthorized"}', code: 'signature_mismatch', allow: null });
    expect(await refused(missing)).toEqual({ ...wrong, code: 'missing_header' });
  });

  it('an old delivery with the same answer as a forged one', async () => {
    const body = JSON.stringify(published);
    const headers = await signWebhook({ body, secret, timestamp: Date.now() / 1000 - 1000 });
    expect(await refused(new Request(url, { method: 'POST', body, headers }))).toMatchObject({
      status: 401,
      body: '{"error":"unauthorized"}',
      code: 'timestamp_too_old',
    });
  });

  it('a signed body that is not a JSON object, and one with different headers', async () => {
    expect(await refused(await delivery('[]'))).toMatchObject({ status: 400, code: 'invalid_payload' });
    expect(await refused(await delivery(published, { 'X-Service-Event-Id': 'other' }))).toMatchObject({
      status: 400,
      code: 'event_id_mismatch',
    });
    expect(await refused(await delivery(published, { 'X-Service-Event-Type': 'post.failed' }))).toMatchObject({
      status: 400,
      code: 'event_type_mismatch',
    });
  });

  it('a body that is too large, by its length or while it comes', async () => {
    const large = JSON.stringify({ a: 'x'.repeat(1_048_576) });
    expect(await refused(await delivery(large))).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(await refused(await delivery('{}', { 'content-length': '1048577' }))).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });

  it('an endless body after its first MiB', async () => {
    let pulled = 0;
    const cancelled = vi.fn();
    const body = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: cancelled,
    });
    const headers = await signWebhook({ body: '', secret });
    const request = new Request(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
    expect(await refused(request)).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(cancelled).toHaveBeenCalledTimes(1);
    expect(pulled).toBeLessThan(25);
  });

  it('a body that was read before, at once', async () => {
    const request = await delivery();
    await request.json();
    expect(await refused(request)).toMatchObject({ status: 500, code: 'body_not_raw' });
  });

  it('a body that other code is reading, with a message', async () => {
    const request = await delivery();
    request.body?.tee();
    expect(await refused(request)).toMatchObject({ status: 500, code: 'body_not_raw' });
  });

  it.each([
    ['a request of Node', { method: 'POST', headers: {} }],
    ['the context of Hono', { req: { raw: new Request(url, { method: 'POST' }) } }],
    ['an event of Lambda', { requestContext: { http: { method: 'POST' } }, headers: {}, body: '{}' }],
  ])('%s, with a message', async (_, request) => {
    const { receiver, errors } = setUp();
    expect((await receiver.fetch(request as unknown as Request)).status).toBe(500);
    expect(errors).toEqual([
      new ConfigurationError(
        'receiver.fetch needs a Request. In Node, Express and Fastify, mount receiver.node. In Hono, pass context.req.raw.',
      ),
    ]);
  });

  it('a body that breaks off, without a log line', async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.error(new Error('reset'));
      },
    });
    const request = new Request(url, {
      method: 'POST',
      body,
      headers: await signWebhook({ body: '', secret }),
      duplex: 'half',
    } as RequestInit);
    expect(await refused(request)).toMatchObject({ status: 408, code: undefined });
  });

  it('with an answer that holds nothing of the delivery or of the reason', async () => {
    const { body } = await refused(await delivery('[ "x" ]'));
    expect(body.length).toBeLessThan(60);
    expect(body).not.toMatch(/signature|secret|timestamp|json|evt_1|valid/i);
  });

  it('and passes the request to onRejected', async () => {
    const onRejected = vi.fn();
    const request = await delivery('[]');
    await setUp({ onRejected }).receiver.fetch(request);
    expect(onRejected).toHaveBeenCalledWith(expect.any(WebhookVerificationError), request);
  });

  it('and answers, though onRejected and onError throw or reject', async () => {
    for (const broken of [
      () => {
        throw new Error('log');
      },
      () => Promise.reject(new Error('log')),
    ]) {
      const { receiver } = setUp({
        onRejected: broken,
        onError: broken,
        on: { default: () => Promise.reject(new Error('boom')) },
      });
      expect(await statuses(receiver, '[]', published)).toEqual([400, 500]);
    }
  });

  it('everything with 500, where the runtime has no WebCrypto, and says so', async () => {
    const request = await delivery();
    vi.stubGlobal('crypto', undefined);
    const { receiver, errors } = setUp();
    expect((await receiver.fetch(request)).status).toBe(500);
    expect(errors).toEqual([expect.any(ConfigurationError)]);
    vi.unstubAllGlobals();
  });
});

describe('createWebhookReceiver', () => {
  const on = { default: () => undefined };
  it.each<[string, object]>([
    ['no secret', { secret: undefined }],
    ['an empty secret', { secret: '' }],
    ['a masked secret', { secret: 'whk_****4860' }],
    ['a secret with the line break of a file', { secret: `${secret}\n` }],
    ['a second secret with a line break', { secret: [secret, `${secret}\r\n`] }],
    ['no secrets', { secret: [] }],
    ['no handlers', { on: undefined }],
    ['a handler for a misspelt type', { on: { 'post.publised': () => undefined } }],
    ["a handler that isn't a function", { on: { 'post.failed': 'x' } }],
    ['a bad tolerance', { toleranceSeconds: 0 }],
    ['a store without swap', { store: { get: on.default, insert: on.default, due: on.default, scan: on.default } }],
    ['an ackTimeoutMs of 0', { ackTimeoutMs: 0 }],
    ["a clock that isn't a function", { now: 5 }],
    ["an onRejected that isn't a function", { onRejected: 'log' }],
    ["an onError that isn't a function", { onError: 5 }],
    ['a misspelt option', { onReject: () => undefined }],
    ["an ackTimeoutMs that isn't a number", { ackTimeoutMs: '8000' }],
    ['a lease of 0', { leaseMs: 0 }],
    ['a lease of more than six hours', { leaseMs: 6 * 3_600_000 + 1 }],
    ['a memory of less than an hour', { keepMs: 3_599_999 }],
    ['an endless memory', { keepMs: Number.POSITIVE_INFINITY }],
  ])('refuses %s', (_, options) => {
    expect(() => createWebhookReceiver({ secret, on, ...options })).toThrow(ConfigurationError);
  });

  it('keeps its secrets and handlers, though they are changed later', async () => {
    const secrets = [secret];
    const handlers: WebhookReceiverOptions['on'] = { default: () => undefined };
    const { receiver } = setUp({ secret: secrets, on: handlers });
    secrets[0] = 'other';
    Object.assign(handlers, { 'post.published': () => expect.unreachable() });
    expect(await statuses(receiver, published)).toEqual([200]);
  });

  it('takes handlers that are undefined for missing', async () => {
    const { receiver } = setUp({ on: { 'post.published': undefined } });
    expect(await statuses(receiver, published)).toEqual([200]);
  });
});
