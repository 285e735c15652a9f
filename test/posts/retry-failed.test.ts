import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  retryFailed,
  targetOf,
  targetResults,
  verifyWebhook,
  type KnownWebhookEvent,
  type Post,
} from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { everydayWorld, type EverydayWorld } from '../resources/everyday-world.js';

interface Published {
  readonly post: Post;
  readonly event: KnownWebhookEvent;
}

/** Publishes to accounts of which some fail, and returns the listed post and its final event. */
async function publish(
  world: EverydayWorld,
  accounts: readonly ('instagram' | 'tiktok')[],
  failing: readonly number[],
  extraBody: Record<string, unknown> = {},
): Promise<Published & { ids: string[] }> {
  const { service, client } = world;
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published', 'post.partial', 'post.failed'],
    webhook: { url: 'https://hooks.example.com/' },
  });
  const integrations = accounts.map((platform) => service.seed.integration({ platform }));
  for (const index of failing)
    service.publishing.outcome({ accountId: integrations[index]?.id, error: 'media rejected' });
  const body = { content: 'Hello', platforms: integrations.map(targetOf), publishNow: true } as const;
  await client.posts.create(body, { extraBody });
  await service.settled();
  const post = (await client.posts.list()).items[0];
  const delivery = service.deliveries[0];
  if (post === undefined || delivery === undefined) throw new Error('Nothing was published.');
  const { body: raw, headers } = delivery;
  const now = () => service.clock.now();
  const event = await verifyWebhook({ body: raw, headers, secret: webhook?.secret ?? '', now });
  if (!event.known) throw new Error('The event is not known.');
  return { post, event, ids: integrations.map(({ id }) => id) };
}

describe('retryFailed', () => {
  it('publishes again only to the failed target, with the media of the post', async () => {
    const world = everydayWorld();
    const mediaItems = [{ type: 'image', url: 'https://cdn.example.com/a.png' }];
    const { post, ids } = await publish(world, ['instagram', 'tiktok'], [1], { mediaItems });
    const retry = retryFailed(post);
    expect(retry?.body).toEqual({
      content: 'Hello',
      platforms: [{ platform: 'tiktok', accountId: ids[1] }],
      publishNow: true,
    });
    expect(retry?.extraBody).toEqual({ mediaItems });
    world.service.publishing.reset();
    if (retry === undefined) throw new Error('There is nothing to retry.');
    const again = await world.client.posts.create(retry.body, { extraBody: retry.extraBody });
    targetResults(again).assertAllPublished();
    expect(again.platforms).toHaveLength(1);
  });

  it('refuses a post with media that its request does not contain: the retry would have none', async () => {
    const { post } = await publish(everydayWorld(), ['tiktok'], [0]);
    const mediaItems = [{ url: 'https://cdn.example.com/a.png' }];
    expect(() => retryFailed({ ...post, mediaItems })).toThrow(InvalidRequestError);
    expect(() => retryFailed({ ...post, mediaItems })).toThrow(
      'post.rawRequestBody does not contain the media of the post, so they cannot be sent again: create the post yourself',
    );
    // The name of the field is not documented, so any other field may contain them.
    const rawRequestBody = { ...post.rawRequestBody, media: ['upload_1'] };
    expect(retryFailed({ ...post, mediaItems, rawRequestBody })?.extraBody).toEqual({ media: ['upload_1'] });
  });

  it('returns nothing if nothing failed', async () => {
    const { post, event } = await publish(everydayWorld(), ['instagram'], []);
    expect(retryFailed(post)).toBeUndefined();
    expect(retryFailed(post, event)).toBeUndefined();
  });

  it('takes all accounts of a platform where all of them failed', async () => {
    const { post, ids } = await publish(everydayWorld(), ['tiktok', 'tiktok', 'instagram'], [0, 1]);
    expect(retryFailed(post)?.body.platforms.map(({ accountId }) => accountId)).toEqual([ids[0], ids[1]]);
  });

  it('never guesses which of two accounts failed, and uses the event', async () => {
    const { post, event, ids } = await publish(everydayWorld(), ['tiktok', 'tiktok'], [1]);
    expect(() => retryFailed(post)).toThrow(InvalidRequestError);
    expect(() => retryFailed(post)).toThrow(
      'which account of tiktok failed (1 of several targets). ' +
        "Pass the post's final webhook event to publisher.observe, or as the second argument of retryFailed(post, event)",
    );
    expect(retryFailed(post, event)?.body.platforms).toEqual([{ platform: 'tiktok', accountId: ids[1] }]);
  });

  it.each<[name: string, post: unknown]>([
    ['the reply to a create without targets', { success: true, postId: 'post_1', status: 'partial' }],
    ['a published post without targets', { postId: 'post_1', status: 'published' }],
    ['the post of an intent, without targets', { postId: 'post_1', status: 'failed', content: 'Hello' }],
    ['an empty list of targets', { postId: 'post_1', status: 'failed', platforms: [] }],
    [
      'a partial post whose targets show no failure',
      {
        postId: 'post_1',
        status: 'partial',
        platforms: [{ platform: 'tiktok', platformPostUrl: 'https://a.example/1' }],
      },
    ],
    ['an intent without targets', { key: 'k', state: 'failed', body: { content: 'Hello', publishNow: true } }],
  ])('refuses %s: it does not show whether a target failed', (_, post) => {
    expect(() => retryFailed(post as Post)).toThrow(InvalidRequestError);
    expect(() => retryFailed(post as Post)).toThrow(/post does not show which targets failed/);
  });

  it.each(['draft', 'scheduled', 'publishing', 'pending', undefined])('refuses a post that is %s', async (status) => {
    const { post } = await publish(everydayWorld(), ['tiktok'], [0]);
    expect(() => retryFailed({ ...post, status })).toThrow(/post must have the status published, partial or failed/);
  });

  it.each(['ready', 'in_doubt', 'abandoned', 'accepted'])('refuses an intent that is %s', (state) => {
    const intent = { key: 'k', state, body: { content: 'Hello', saveAsDraft: true as const }, targets: [] };
    expect(() => retryFailed(intent)).toThrow(/post is of an intent that is .*must be published, partial or failed/);
  });

  it.each([undefined, null, 'post_1', 5])('refuses %j', (value) => {
    expect(() => retryFailed(value as never)).toThrow(/post must be a post from a list, or an intent/);
  });

  it('accepts a listed post whose targets show success', async () => {
    const { post, ids } = await publish(everydayWorld(), ['instagram', 'tiktok'], [1]);
    const platforms = post.platforms?.map((target, index) => ({ ...target, success: index === 0 }));
    expect(retryFailed({ ...post, platforms })?.body.platforms).toEqual([{ platform: 'tiktok', accountId: ids[1] }]);
  });

  it.each([null, {}, 'event', { known: false, type: 'unknown', payload: {} }, { known: true, data: { post: {} } }])(
    'refuses %j in place of its event',
    async (event) => {
      const { post } = await publish(everydayWorld(), ['instagram'], [0]);
      const message = 'event must be an event of this post';
      expect(() => retryFailed(post, event as unknown as KnownWebhookEvent)).toThrow(message);
    },
  );

  it('takes the targets of a post without them from its event', async () => {
    const { post, event, ids } = await publish(everydayWorld(), ['instagram', 'tiktok'], [1]);
    const bare = { ...post, platforms: undefined };
    expect(retryFailed(bare, event)?.body.platforms).toEqual([{ platform: 'tiktok', accountId: ids[1] }]);
    // With a profile, the event contains only that profile's targets.
    expect(() => retryFailed(bare, { ...event, profileId: 'profile_1' })).toThrow(/does not show which targets failed/);
  });

  it('needs no request for a post without media, if the event names the account', async () => {
    const { post, event, ids } = await publish(everydayWorld(), ['instagram', 'tiktok'], [1]);
    const bare = { ...post, rawRequestBody: undefined, mediaItems: undefined };
    expect(retryFailed(bare, event)).toEqual({
      body: { content: 'Hello', platforms: [{ platform: 'tiktok', accountId: ids[1] }], publishNow: true },
      extraBody: {},
    });
    const withMedia = { ...bare, mediaItems: [{ url: 'https://cdn.example.com/a.png' }] };
    expect(() => retryFailed(withMedia, event)).toThrow(/does not contain the media of the post/);
  });

  it('publishes again to the failed targets of an intent, with its extras', async () => {
    const world = everydayWorld();
    const { client, service } = world;
    const accounts = [
      service.seed.integration({ platform: 'tiktok' }),
      service.seed.integration({ platform: 'bluesky' }),
    ];
    service.publishing.outcome({ platform: 'tiktok', error: 'no' });
    const publisher = createPublisher({ client, store: new MemoryDurableStore() });
    const body = { content: 'Hello', platforms: accounts.map(targetOf), publishNow: true } as const;
    const mediaItems = [{ url: 'https://cdn.example.com/a.png' }];
    const intent = await publisher.publish('key', body, { extraBody: { mediaItems } });
    expect(intent.state).toBe('partial');
    expect(retryFailed(intent)).toEqual({
      body: { content: 'Hello', platforms: [{ platform: 'tiktok', accountId: accounts[0]?.id }], publishNow: true },
      extraBody: { mediaItems },
    });
  });

  it("keeps a target's own fields", async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'tiktok' });
    world.service.publishing.outcome({ platform: 'tiktok', error: 'no' });
    const own = [{ platform: 'tiktok', accountId: id, content: 'For TikTok' }];
    await world.client.posts.create(
      { content: 'Hello', publishNow: true, platforms: [] },
      { extraBody: { platforms: own } },
    );
    const [post] = (await world.client.posts.list()).items;
    expect(post && retryFailed(post)?.extraBody).toEqual({ platforms: own });
  });

  it('refuses the event of another post, and media of an unknown shape', async () => {
    const { post, event } = await publish(everydayWorld(), ['tiktok'], [0], {
      mediaItems: [{ url: 'https://cdn.example.com/a.png' }],
    });
    expect(() => retryFailed({ ...post, postId: 'post_9' }, event)).toThrow(InvalidRequestError);
    expect(() => retryFailed({ ...post, rawRequestBody: undefined }, event)).toThrow(/media/);
  });
});

describe('the account of a listed target', () => {
  it('is present if it is certain', async () => {
    const { post, ids } = await publish(everydayWorld(), ['instagram', 'tiktok', 'tiktok'], [0]);
    expect(targetResults(post).failed[0]?.accountId).toBe(ids[0]);
    expect(targetResults(post).published.map(({ accountId }) => accountId)).toEqual([undefined, undefined]);
  });

  it('is missing if the request no longer fits the targets', async () => {
    const { post } = await publish(everydayWorld(), ['instagram', 'tiktok'], [0]);
    const edited = { ...post, platforms: post.platforms?.slice(0, 1) };
    expect(targetResults(edited).all[0]?.accountId).toBeUndefined();
    const unknown = { ...post, rawRequestBody: { platforms: 'all' } };
    expect(targetResults(unknown).all[0]?.accountId).toBeUndefined();
  });
});

describe('targetOf', () => {
  it('turns an integration into a target', () => {
    expect(targetOf({ id: 'int_1', platform: 'bluesky' })).toEqual({ platform: 'bluesky', accountId: 'int_1' });
  });

  it.each([{ id: 'int_1', platform: 'myspace' }, { id: 'int_1' }, { id: '', platform: 'bluesky' }])(
    'refuses %j',
    (integration) => {
      expect(() => targetOf(integration)).toThrow(InvalidRequestError);
    },
  );
});

it('a listed partial post whose targets only have warnings has nothing to retry', () => {
  const target = { platform: 'bluesky', status: 'published', platformPostUrl: 'https://bsky.test/1' };
  const platforms = [{ ...target, warningMessage: 'The image was resized' }, target];
  expect(retryFailed({ postId: 'post_1', status: 'partial', platforms })).toBeUndefined();
  const failed = [...platforms, { platform: 'tiktok', status: 'pending' }];
  expect(() => retryFailed({ postId: 'post_1', status: 'partial', platforms: failed })).toThrow(/which targets failed/);
});
