import { describe, expect, it } from 'vitest';
import { InvalidRequestError, outcomeOf, SocialPublishingError } from '../../src/core/errors.js';
import { SocialPublishing } from '../../src/client.js';
import { rejection, testKey } from './client.js';
import { doubtWorld } from './doubt.js';

/** A create that was executed and then aborted with this reason. */
async function abortedInFlight(world: ReturnType<typeof doubtWorld>, reason: unknown, content?: string) {
  const controller = new AbortController();
  const { service, client, body } = world;
  let carriedOut: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (carriedOut = resolve));
  const waiting = client.withOptions({
    fetch: async (input, init) => {
      await service.fetch(input, { ...init, signal: null });
      carriedOut();
      return new Promise<Response>(() => undefined);
    },
  });
  const result = rejection(waiting.posts.create(body(content), { signal: controller.signal }));
  await sent;
  controller.abort(reason);
  expect(await result).toBe(reason);
}

describe('a create that was aborted in flight', () => {
  it.each([
    ['an error that says not_sent', async () => Promise.resolve(new InvalidRequestError([]))],
    [
      'an error that the caller made',
      async () => Promise.resolve(new SocialPublishingError('mine', { outcome: 'rejected' })),
    ],
    [
      'the refusal of another call',
      async ({ client }: ReturnType<typeof doubtWorld>) => rejection(client.integrations.get('none')),
    ],
    [
      'the refusal of another create',
      async ({ client }: ReturnType<typeof doubtWorld>) =>
        rejection(
          client.posts.create({ content: 'Hi', publishNow: true, platforms: [{ platform: 'tiktok', accountId: 'x' }] }),
        ),
    ],
    ['a frozen object', async () => Promise.resolve(Object.freeze({ why: 'enough' }))],
  ])('is searched for, with any reason: %s', async (_, makeReason) => {
    const world = doubtWorld();
    const reason = await makeReason(world);
    const before = JSON.stringify(reason);
    await abortedInFlight(world, reason);
    expect(await world.client.posts.reconcile(reason)).toMatchObject({
      status: 'created',
      post: { postId: world.service.posts[0]?.postId },
    });
    expect(JSON.stringify(reason)).toBe(before);
  });

  it('is found if another create with the same reason was never sent', async () => {
    const world = doubtWorld();
    const { client, service, body } = world;
    const reason = new Error('enough');
    const never = () => rejection(client.posts.create(body('Never'), { signal: AbortSignal.abort(reason) }));
    await never();
    await abortedInFlight(world, reason);
    await never();
    expect(service.posts).toHaveLength(1);
    expect(await client.posts.reconcile(reason)).toMatchObject({ status: 'created', post: { content: 'Hello' } });
  });

  it('is found if another create was aborted while the key was fetched', async () => {
    const world = doubtWorld();
    const { client, body } = world;
    const reason = new Error('enough');
    const controller = new AbortController();
    const slow = client.withOptions({ accessKey: () => new Promise(() => undefined) });
    const never = rejection(slow.posts.create(body('Never'), { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(reason);
    expect(await never).toBe(reason);
    expect(await client.posts.reconcile(reason)).toEqual({ status: 'not_found' });
    await abortedInFlight(world, reason);
    expect(await client.posts.reconcile(reason)).toMatchObject({ status: 'created', post: { content: 'Hello' } });
  });

  it('with a string as reason cannot be identified: the error says what to do, and it works', async () => {
    const world = doubtWorld();
    const sentAt = new Date();
    await abortedInFlight(world, 'stop');
    const error = await rejection(world.client.posts.reconcile('stop'));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toMatch(/Abort a create with an Error.*\{ body, sentAt \}/);
    expect(await world.client.posts.reconcile({ body: world.body(), sentAt })).toMatchObject({ status: 'created' });
  });
});

describe('a reconcile that is aborted', () => {
  it.each(['before it starts', 'while it waits for the next search'])(
    '%s rejects with a reason that has the outcome of the create',
    async (when) => {
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('enough');
      const sleep = () => {
        controller.abort(reason);
        return Promise.reject(reason);
      };
      const { client, lostCreate } = doubtWorld({}, {}, { sleep });
      const error = await lostCreate(undefined, 'reset_before');
      if (when === 'before it starts') controller.abort(reason);
      expect(await rejection(client.posts.reconcile(error, { waitMs: 60_000, signal }))).toBe(reason);
      expect(outcomeOf(reason)).toBe('unknown');
    },
  );
});

describe('the reason of an aborted reconcile', () => {
  it('stays about its create if a create with the same signal is never sent', async () => {
    const { client, lostCreate, body } = doubtWorld();
    const error = await lostCreate(undefined, 'reset_after_commit');
    const signal = AbortSignal.abort(new Error('enough'));
    const reason = await rejection(client.posts.reconcile(error, { signal }));
    await rejection(client.posts.create(body('Other'), { signal }));
    expect(outcomeOf(reason)).toBe('unknown');
    expect(await client.posts.reconcile(reason)).toMatchObject({ status: 'created' });
  });
});

describe('a create that was never sent', () => {
  it('is not searched for', async () => {
    const { client, service, body } = doubtWorld();
    const reason = new Error('enough');
    await rejection(client.posts.create(body(), { signal: AbortSignal.abort(reason) }));
    expect(await client.posts.reconcile(reason)).toEqual({ status: 'not_found' });
    expect(service.requests).toHaveLength(0);
  });
});

describe('an error that this client does not know', () => {
  it("is called another client's where it is one of a create", async () => {
    const { lostCreate, service } = doubtWorld();
    const error = await lostCreate();
    const other = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: testKey, fetch: service.fetch });
    expect(String(await rejection(other.posts.reconcile(error)))).toContain("another client's create");
  });
});
