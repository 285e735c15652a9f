import { describe, expect, it } from 'vitest';
import { world, type World } from '../world.js';

/** One after the other by the clock on the wall, in another order by their letters. */
const times = [
  '2026-03-02T10:30:00+02:00',
  '2026-03-02T09:00:00Z',
  '2026-03-02T09:00:00.500Z',
  '2026-03-02T07:00:00-03:00',
];
const newestFirst = [...times].reverse();
const shuffled = [2, 0, 3, 1].map((index) => times[index] ?? '');

type Seeding = (world: World, at: string) => unknown;
type Reading = (world: World) => Promise<(string | undefined)[]>;

const automation = ({ service, instagram }: World) => service.seed.automation({ id: 'a', accountId: instagram });
const published = (at: string) =>
  ({ status: 'published', platforms: [{ platform: 'tiktok', publishedAt: at }] }) as const;

/** Seeds with a time, and the times as the service lists them. */
const lists: [string, Seeding, Reading][] = [
  [
    'comments',
    ({ service, facebook }, at) => service.seed.comment({ accountId: facebook, postId: 'p', timestamp: at }),
    async ({ client, facebook }) => {
      const comments = await client.comments.list({ platform: 'facebook', accountId: facebook, postId: 'p' }).toArray();
      return comments.map(({ timestamp }) => timestamp);
    },
  ],
  [
    'conversations',
    ({ service, instagram }, at) => service.seed.conversation({ accountId: instagram, updatedTime: at }),
    async ({ client, instagram }) => {
      const conversations = await client.messages
        .listConversations({ platform: 'instagram', accountId: instagram })
        .toArray();
      return conversations.map(({ updatedTime }) => updatedTime);
    },
  ],
  [
    'messages',
    ({ service, instagram }, at) => {
      // The conversation is there from the first time on: seeded again, it keeps its messages.
      service.seed.conversation({ id: 'c', accountId: instagram });
      service.seed.message({ accountId: instagram, conversationId: 'c', timestamp: at });
    },
    async ({ client, instagram }) => {
      const messages = await client.messages.list('c', { platform: 'instagram', accountId: instagram }).toArray();
      return messages.map(({ timestamp }) => timestamp);
    },
  ],
  [
    'logs',
    (world, at) => {
      automation(world);
      world.service.seed.automationLog({ automationId: 'a', createdAt: at });
    },
    async ({ client }) => (await client.automations.listLogs('a').toArray()).map(({ createdAt }) => createdAt),
  ],
  [
    'eligible posts',
    ({ service, instagram }, at) => service.seed.eligiblePost({ accountId: instagram, timestamp: at }),
    async ({ client, instagram }) => {
      const posts = await client.automations.listEligiblePosts({ accountId: instagram }).toArray();
      return posts.map(({ timestamp }) => timestamp);
    },
  ],
  [
    'posts',
    ({ service }, at) => service.seed.post({ createdAt: at }),
    async ({ client }) => (await client.posts.list().toArray()).map(({ createdAt }) => createdAt),
  ],
  [
    'integrations',
    ({ service }, at) => service.seed.integration({ platform: 'threads', createdAt: at }),
    async ({ client }) =>
      (await client.integrations.list({ platform: 'threads' }).toArray()).map(({ createdAt }) => createdAt),
  ],
  [
    'post analytics',
    ({ service }, at) => service.seed.post(published(at)),
    async ({ client }) => (await client.analytics.listPosts().toArray()).map(({ publishedAt }) => publishedAt),
  ],
];

describe('newest first', () => {
  it.each(lists)('%s are sorted by when it was, not by how it is written', async (_, seed, read) => {
    const here = world();
    for (const at of shuffled) seed(here, at);
    expect(await read(here)).toEqual(newestFirst);
  });

  it.each(lists)('%s of one instant: the last created comes first', async (_, seed, read) => {
    const here = world();
    // One instant, written differently, so that the list shows which is which.
    const written = ['2026-03-02T10:00:00+01:00', '2026-03-02T09:00:00Z', '2026-03-02T08:00:00.000-01:00'];
    for (const at of written) seed(here, at);
    expect(await read(here)).toEqual([...written].reverse());
  });

  it('the last message and the last change of a conversation are the latest ones', async () => {
    const { service, client, instagram } = world();
    service.seed.conversation({ id: 'c', accountId: instagram, updatedTime: '2026-03-02T10:30:00+02:00' });
    for (const at of shuffled) service.seed.message({ accountId: instagram, conversationId: 'c', timestamp: at });
    const [conversation] = await client.messages
      .listConversations({ platform: 'instagram', accountId: instagram })
      .toArray();
    expect(conversation).toMatchObject({ lastMessage: { timestamp: newestFirst[0] }, updatedTime: newestFirst[0] });
  });

  it('the last run and the last error of an automation are the latest ones', async () => {
    const here = world();
    automation(here);
    for (const at of shuffled) here.service.seed.automationLog({ automationId: 'a', createdAt: at, error: at });
    expect(await here.client.automations.list()).toMatchObject([
      { stats: { lastRunAt: newestFirst[0], lastError: newestFirst[0] } },
    ]);
  });

  it('a post is published when its first target is', async () => {
    const { service, client } = world();
    service.seed.post({
      status: 'published',
      platforms: shuffled.map((publishedAt) => ({ platform: 'tiktok', publishedAt })),
    });
    expect((await client.analytics.listPosts()).items).toMatchObject([{ publishedAt: times[0] }]);
  });
});
