import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { outcomeOf } from '../../src/core/errors.js';
import type { PublishPostBody } from '../../src/index.js';
import { json, raw, silence, WireServer, type Script } from '../support/wire-server.js';
import { analytics, classesOfCall, free, insights, post } from './calls.js';
import { rejection, testClient, testKey } from './client.js';

let server: WireServer;

const start = async (script: Script) => (server = await WireServer.start(script));

const hour = 3_600_000;

/** Real waits, and limits so long that only the abort can end a call within a test. */
const realClient = (options = {}) =>
  new SocialPublishing({
    baseUrl: server.url,
    accessKey: testKey,
    timeoutMs: 10 * hour,
    totalTimeoutMs: 10 * hour,
    ...options,
  });

const until = (condition: () => boolean) => expect.poll(condition, { interval: 2 }).toBe(true);

/** Aborts once the condition holds; returns the rejection. */
async function abortOnce(
  condition: () => boolean,
  controller: AbortController,
  reason: unknown,
  call: PromiseLike<unknown>,
) {
  const rejected = rejection(call);
  await until(condition);
  controller.abort(reason);
  return { error: await rejected };
}

const reasons: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('the user left')],
  ['a string', 'the user left'],
  ['null', null],
  ['an object', { why: 'the user left' }],
];

describe("an abort rejects with the signal's own reason", () => {
  it.each(reasons)('before sending, and sends nothing: %s', async (_, reason) => {
    await start(() => json(free.good));
    for (const { call } of classesOfCall) {
      const signal = AbortSignal.abort(reason);
      const client = realClient();
      expect(await rejection(call(withSignal(client, signal)))).toBe(reason);
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each(reasons)('while it waits for an answer, and closes the socket: %s', async (_, reason) => {
    await start(() => silence);
    const controller = new AbortController();
    const call = post.call(withSignal(realClient(), controller.signal));
    const { error } = await abortOnce(() => server.requests.length === 1, controller, reason, call);
    expect(error).toBe(reason);
    await server.allClosed();
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it.each([
    ['200', 200],
    ['400', 400],
    ['503', 503],
  ])('in mid-body of a reply with status %s, and closes the socket', async (_, status) => {
    let begun = false;
    await start(() => (socket) => {
      socket.write(`HTTP/1.1 ${String(status)} X\r\ncontent-length: 999\r\n\r\n{"succ`, () => {
        setTimeout(() => (begun = true), 20);
      });
    });
    const controller = new AbortController();
    const call = realClient().posts.list({}, { signal: controller.signal });
    const { error } = await abortOnce(() => begun, controller, 'enough', call);
    expect(error).toBe('enough');
    await server.allClosed();
    expect(server.requests).toHaveLength(1);
  });

  it('while it waits to send again, and does not send again', async () => {
    await start(() => json({ success: false }, 429, [['retry-after', '30']]));
    const controller = new AbortController();
    const onRetry = vi.fn();
    const call = post.call(withSignal(realClient({ hooks: { onRetry } }), controller.signal));
    const { error } = await abortOnce(() => onRetry.mock.calls.length === 1, controller, 'enough', call);
    expect(error).toBe('enough');
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('while a key function has not answered, and sends nothing', async () => {
    await start(() => json(post.good));
    const controller = new AbortController();
    const accessKey = vi.fn(() => new Promise<string>(() => {}));
    const call = post.call(withSignal(realClient({ accessKey }), controller.signal));
    const { error } = await abortOnce(() => accessKey.mock.calls.length === 1, controller, 'enough', call);
    expect(error).toBe('enough');
    expect(server.requests).toHaveLength(0);
  });

  it('with a fetch that ignores its signal', async () => {
    await start(() => silence);
    const controller = new AbortController();
    const fetch = vi.fn(() => new Promise<Response>(() => {}));
    const call = post.call(withSignal(realClient({ fetch }), controller.signal));
    const { error } = await abortOnce(() => fetch.mock.calls.length === 1, controller, 'enough', call);
    expect(error).toBe('enough');
  });

  it('between pages, before the next one is asked for', async () => {
    await start(() => json({ success: true, total: 4, posts: [{ postId: 'post_1' }, { postId: 'post_2' }] }));
    const controller = new AbortController();
    const seen: string[] = [];
    const walk = (async () => {
      for await (const { postId } of realClient().posts.list({ limit: 2 }, { signal: controller.signal })) {
        seen.push(postId);
        if (seen.length === 2) controller.abort('enough');
      }
    })();
    expect(await rejection(walk)).toBe('enough');
    expect(seen).toEqual(['post_1', 'post_2']);
    expect(server.requests).toHaveLength(1);
  });

  it('between pages that the caller asks for one by one', async () => {
    await start(() => json({ success: true, total: 4, posts: [{ postId: 'post_1' }, { postId: 'post_2' }] }));
    const controller = new AbortController();
    const page = await realClient().posts.list({ limit: 2 }, { signal: controller.signal });
    controller.abort('enough');
    expect(await rejection(page.nextPage())).toBe('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('while pages are read ahead, and releases all of them', async () => {
    await start((request) => {
      const offset = Number(new URL(request.path, 'http://x').searchParams.get('offset') ?? 0);
      return offset === 0 ? json({ success: true, total: 40, posts: [{ postId: 'post_1' }] }) : silence;
    });
    const controller = new AbortController();
    const walk = realClient().posts.list({ limit: 1 }, { signal: controller.signal, concurrency: 4 }).toArray();
    const { error } = await abortOnce(() => server.requests.length === 5, controller, 'enough', walk);
    expect(error).toBe('enough');
    await until(() => server.openSockets <= 1); // The one of the first page is kept alive.
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('with the reason of AbortSignal.timeout', async () => {
    await start(() => silence);
    const error = await rejection(realClient().posts.list({}, { signal: AbortSignal.timeout(30) }));
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({ name: 'TimeoutError' });
    await server.allClosed();
  });

  it('and onError receives it once', async () => {
    await start(() => silence);
    const onError = vi.fn();
    const controller = new AbortController();
    const call = realClient({ hooks: { onError } }).posts.list({}, { signal: controller.signal }).then();
    await abortOnce(() => server.requests.length === 1, controller, 'enough', call);
    expect(onError.mock.calls).toEqual([
      [
        {
          callId: expect.any(String) as string,
          host: new URL(server.url).host,
          method: 'GET',
          route: '/v1/posts/',
          attempts: 1,
          error: 'enough',
        },
      ],
    ]);
  });
});

/** The resources of a client whose every call takes this signal. */
function withSignal(client: SocialPublishing, signal: AbortSignal): SocialPublishing {
  return {
    posts: {
      list: (query: object) => client.posts.list(query, { signal }),
      create: (body: PublishPostBody) => client.posts.create(body, { signal }),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service alone
      updateScheduled: (id: string, body: object) => client.posts.updateScheduled(id, body, { signal }),
    },
    integrations: {
      update: (id: string, body: { profileId: string }) => client.integrations.update(id, body, { signal }),
    },
    analytics: {
      getPost: (id: string) => client.analytics.getPost(id, {}, { signal }),
      getInstagramInsights: (query: { accountId: string }) => client.analytics.getInstagramInsights(query, { signal }),
    },
  } as unknown as SocialPublishing;
}

describe('leftovers', () => {
  it('leaves no listener after a time-out, even if fetch ignores its signal', async () => {
    await start(() => json(free.good));
    const controller = new AbortController();
    const client = realClient({ timeoutMs: 1, maxRetries: 0, fetch: () => new Promise<Response>(() => undefined) });
    const error = await rejection(client.posts.list({}, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('leaves no unhandled rejection, in any order of abort, deadline and reply', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    await start((_, index) => (socket, request) => {
      setTimeout(() => {
        (index % 3 === 0 ? raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{', 'reset') : json(free.good))(
          socket,
          request,
        );
      }, index % 12);
    });
    const { client } = testClient(server.url, { timeoutMs: 12 });
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const controller = new AbortController();
        setTimeout(() => {
          controller.abort('enough');
        }, index % 17);
        return client.posts.list({}, { signal: controller.signal }).then(
          () => undefined,
          () => undefined,
        );
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });
});

describe('an aborted call that costs a credit', () => {
  it('counts the credit once it may have reached the service, and not before', async () => {
    await start(() => silence);
    const controller = new AbortController();
    const { client } = testClient(server.url);
    await abortOnce(
      () => server.requests.length === 1,
      controller,
      'enough',
      client.analytics.getPost('post_1', {}, { signal: controller.signal }),
    );
    expect(client.creditsUsed).toBe(1);
    await rejection(client.analytics.getPost('post_1', {}, { signal: AbortSignal.abort('enough') }));
    expect(client.creditsUsed).toBe(1);
  });

  it.each([analytics, insights])(
    'counts it only if the request was sent, as outcomeOf says: $name',
    async ({ call }) => {
      await start(() => silence);
      const abort = async (isWaiting: () => boolean, accessKey: string | (() => Promise<string>)) => {
        const controller = new AbortController();
        const { client } = testClient(server.url, { accessKey });
        const reason = new Error('enough');
        const { error } = await abortOnce(isWaiting, controller, reason, call(withSignal(client, controller.signal)));
        expect(error).toBe(reason);
        return [outcomeOf(error), client.creditsUsed];
      };
      const accessKey = vi.fn(() => new Promise<string>(() => {}));
      expect(await abort(() => accessKey.mock.calls.length === 1, accessKey)).toEqual(['not_sent', 0]);
      expect(server.requests).toHaveLength(0);
      expect(await abort(() => server.requests.length === 1, 'test-key')).toEqual(['unknown', 1]);
    },
  );

  it('counts nothing where it was aborted while waiting after a refused connection', async () => {
    await start(() => silence);
    const { url } = server;
    await server.close();
    const controller = new AbortController();
    const { client } = testClient(url, {
      hooks: {
        onRetry: () => {
          controller.abort('enough');
        },
      },
    });
    expect(await rejection(client.analytics.getPost('post_1', {}, { signal: controller.signal }))).toBe('enough');
    expect(client.creditsUsed).toBe(0);
  });
});
