import { Temporal } from '@js-temporal/polyfill';
import { createPublisher, MemoryDurableStore } from 'social-publishing/publisher';
import { createWebhookInbox, isStale } from 'social-publishing/webhooks';
import { InvalidRequestError, SocialPublishing, splitDateRange } from 'social-publishing';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld, type EverydayWorld } from './everyday-world.js';

let world: EverydayWorld;
let accountId: string;

beforeEach(() => {
  world = everydayWorld();
  accountId = world.service.seed.integration({ platform: 'instagram' }).id;
});

const instant = Temporal.Instant.from('2026-03-02T10:00:00Z');
const zoned = Temporal.ZonedDateTime.from('2026-03-02T11:00:00+01:00[Europe/Berlin]');

describe('every place that accepts a Date accepts an instant of Temporal', () => {
  it.each([
    ['Temporal.Instant', instant],
    ['Temporal.ZonedDateTime', zoned],
  ])('%s: in a create, and in the filters of a list', async (_, at) => {
    const platforms = [{ platform: 'instagram' as const, accountId }];
    const { postId } = await world.client.posts.create({ content: 'Hello', platforms, scheduledFor: at });
    expect(world.service.posts[0]?.scheduledFor).toBe('2026-03-02T10:00:00.000Z');

    const page = await world.client.posts.list({ scheduledAfter: at.add({ hours: -1 }), scheduledBefore: at });
    expect(page.items.map((post) => post.postId)).toEqual([postId]);
  });

  it('in the days of analytics and of ranges', async () => {
    const { dateRange } = await world.client.analytics.getInstagramInsights({
      accountId,
      since: instant.subtract({ hours: 48 }),
      until: zoned,
    });
    expect(dateRange).toEqual({ since: '2026-02-28', until: '2026-03-02' });
    await world.client.analytics.listPosts({ fromDate: instant, toDate: zoned });
    expect(world.service.requests.at(-1)?.query).toMatchObject({ fromDate: '2026-03-02', toDate: '2026-03-02' });
    expect(splitDateRange({ since: instant, until: zoned }, 90)).toEqual([
      { since: '2026-03-02', until: '2026-03-02' },
    ]);
  });

  it('in searching for a create, and in waiting for a post', async () => {
    const body = {
      content: 'Hello',
      platforms: [{ platform: 'instagram' as const, accountId }],
      publishNow: true as const,
    };
    const { postId } = await world.client.posts.create(body);
    const sentAt = Temporal.Instant.fromEpochMilliseconds(world.service.clock.now());
    // Another process: this client knows whose the post is.
    const later = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'test-key',
      fetch: world.service.fetch,
    });
    await expect(later.posts.reconcile({ body, sentAt })).resolves.toMatchObject({ post: { postId } });
    const since = sentAt.subtract({ hours: 1 });
    await expect(world.client.posts.waitUntilFinal(postId, { since })).resolves.toMatchObject({ postId });
  });

  it('in the publisher and in webhooks', async () => {
    const store = new MemoryDurableStore();
    const publisher = createPublisher({ client: world.client, store });
    await expect(publisher.prune({ olderThan: instant })).resolves.toBe(0);
    const inbox = createWebhookInbox({ secret: 'whsec_0123456789', store, on: {} });
    await expect(inbox.catchUp({ client: world.client, since: zoned })).resolves.toEqual({ recovered: 0 });
    const earlier = { type: 'post.published', createdAt: instant.subtract({ seconds: 1 }) };
    expect(isStale({ type: 'post.published', createdAt: instant }, earlier)).toBe(true);
  });
});

describe('a time that names no moment', () => {
  it('is refused before anything is sent: where an offset is missing, the time zone of this machine is not taken', async () => {
    const wait = world.client.posts.waitUntilFinal('post_1', { since: '2026-03-02T10:00:00' });
    await expect(wait).rejects.toThrow(InvalidRequestError);
    await expect(wait).rejects.toThrow('a date-time with its offset');
    expect(world.service.requests).toEqual([]);
  });
});
