import { describe, expect, it, vi } from 'vitest';
import { outcomeOf } from '../../src/core/errors.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import type { ClientOptions } from '../../src/http/client-options.js';
import { post } from '../policies/calls.js';
import { rejection, testClient } from '../policies/client.js';
import { eventually } from '../support/eventually.js';

const body = { content: 'Hello', saveAsDraft: true } as const;
const reason = new Error('the user left');
const answering = () => vi.fn<typeof globalThis.fetch>(() => Promise.resolve(Response.json(post.good)));

describe('An abort before fetch sends nothing', () => {
  const clients: Readonly<Record<string, ClientOptions>> = {
    'a key': {},
    'a key function': { accessKey: () => Promise.resolve('test-key') },
    limits: { limits: { concurrency: 1, perSecond: 5 } },
    'a hook': { hooks: { onStart: () => undefined } },
  };
  for (const [name, options] of Object.entries(clients)) {
    it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(`client with ${name}, %i turns after the call`, async (turns) => {
      const fetch = answering();
      const { client } = testClient('https://api.test', { ...options, fetch });
      const controller = new AbortController();
      const ended = client.posts.create(body, { signal: controller.signal }).then(
        () => 'resolved',
        (error: unknown) => error,
      );
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const wasCalled = fetch.mock.calls.length > 0;
      const error = new Error('the user left');
      controller.abort(error);
      expect(await ended).toBe(error);
      expect(fetch).toHaveBeenCalledTimes(wasCalled ? 1 : 0);
      expect(outcomeOf(error)).toBe(wasCalled ? 'unknown' : 'not_sent');
    });
  }

  it('in a hook that sees the attempt begin', async () => {
    const fetch = answering();
    const controller = new AbortController();
    const hooks = {
      onRequest: () => {
        controller.abort(reason);
      },
    };
    const { client } = testClient('https://api.test', { fetch, hooks });
    expect(await rejection(client.posts.create(body, { signal: controller.signal }))).toBe(reason);
    expect(fetch).not.toHaveBeenCalled();
  });
});

/** As polyfills and React Native have it: no `throwIfAborted`, no `reason`, and no real `AbortSignal`. */
class ForeignSignal {
  aborted = false;
  readonly listeners = new Set<() => void>();

  addEventListener(_: string, listener: () => void): void {
    this.listeners.add(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of [...this.listeners]) listener();
  }

  asSignal(): AbortSignal {
    return this as unknown as AbortSignal;
  }
}

describe('A signal of a polyfill, without throwIfAborted, reason and removeEventListener', () => {
  const abortError = { name: 'AbortError', message: 'This operation was aborted' };

  it.each([
    ['without limits', {}],
    ['with limits', { limits: { concurrency: 1 } }],
  ])('lets calls succeed, %s', async (_, options) => {
    const fetch = answering();
    const { client } = testClient('https://api.test', { ...options, fetch }, defaultRuntime);
    const signal = new ForeignSignal().asSignal();
    const created = await Promise.all([1, 2, 3].map(() => client.posts.create(body, { signal })));
    expect(created.map(({ postId }) => postId)).toEqual(['post_1', 'post_1', 'post_1']);
  });

  it('ends a call before it is sent with a DOMException, and one in flight too', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(() => new Promise(() => undefined));
    const { client } = testClient('https://api.test', { fetch });
    const foreign = new ForeignSignal();
    const signal = foreign.asSignal();
    const inFlight = rejection(client.posts.create(body, { signal }));
    await eventually(() => {
      expect(fetch).toHaveBeenCalled();
    });
    foreign.abort();
    const error = await inFlight;
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject(abortError);
    expect(outcomeOf(error)).toBe('unknown');
    expect(await rejection(client.posts.create(body, { signal }))).toBe(error);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('keeps no listener after an abort, even if it ignores `once`', async () => {
    const { client } = testClient('https://api.test', { fetch: () => new Promise(() => undefined) });
    const foreign = new ForeignSignal();
    const removeEventListener = (_: string, listener: () => void) => foreign.listeners.delete(listener);
    const ended = rejection(
      client.posts.create(body, { signal: Object.assign(foreign.asSignal(), { removeEventListener }) }),
    );
    await eventually(() => {
      expect(foreign.listeners.size).toBe(1);
    });
    foreign.abort();
    expect(await ended).toMatchObject(abortError);
    expect(foreign.listeners.size).toBe(0);
  });

  it('ends a call that waits for its turn', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(() => new Promise(() => undefined));
    const { client } = testClient('https://api.test', { fetch, limits: { concurrency: 1 } }, defaultRuntime);
    void rejection(client.posts.create(body, { timeoutMs: 50, totalTimeoutMs: 50 }));
    const foreign = new ForeignSignal();
    const waiting = rejection(client.posts.create(body, { signal: foreign.asSignal() }));
    await Promise.resolve();
    foreign.abort();
    expect(await waiting).toMatchObject(abortError);
  });

  it('ends a retry, a walk, createMany and a wait', async () => {
    const refusing = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(new Response('', { status: 429 })));
    const { client } = testClient('https://api.test', { fetch: refusing }, defaultRuntime);
    const aborted = async (call: (signal: AbortSignal) => PromiseLike<unknown>) => {
      const foreign = new ForeignSignal();
      const ended = rejection(call(foreign.asSignal()));
      await new Promise((resolve) => setImmediate(resolve));
      foreign.abort();
      expect(await ended).toMatchObject(abortError);
    };
    await aborted((signal) => client.posts.list({}, { signal }).toArray());
    await aborted((signal) => client.posts.list({}, { signal, concurrency: 3 }).toArray());
    await aborted((signal) => client.posts.waitUntilFinal('post_1', { signal }));
    await aborted((signal) => client.analytics.getPost('post_1', {}, { signal }));
    const foreign = new ForeignSignal();
    foreign.abort();
    const results = [];
    for await (const result of client.posts.createMany([{ body }], { signal: foreign.asSignal() }))
      results.push(result);
    expect(results).toMatchObject([{ status: 'not_sent' }]);
  });
});
