import { afterEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import type { Endpoint } from '../../src/core/call/endpoint.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { responseOf } from '../../src/core/call/response.js';
import { endpointsByName } from '../support/endpoints.js';
import { unknownFields } from './unknown-fields.js';
import { throughMsw, ways, type Way } from './ways.js';
import { accounts, clientOf, start } from './world.js';

type Ids = ReturnType<typeof accounts>;

interface Operation {
  readonly name: string;
  readonly call: (client: SocialPublishing, ids: Ids, service: Emulator) => PromiseLike<object>;
  readonly expected: unknown;
}

const at = '2026-03-02T09:00:00.000Z';

/** Every operation, with its required result. The schema checks further fields. */
const operations: readonly Operation[] = [
  {
    name: 'posts.create',
    call: (client, { instagram }) =>
      client.posts.create({
        content: 'Hi',
        publishNow: true,
        platforms: [{ platform: 'instagram', accountId: instagram }],
      }),
    expected: {
      success: true,
      postId: 'post_1',
      status: 'published',
      platforms: [{ platform: 'instagram', success: true, platformPostUrl: 'https://www.instagram.com/instagram_1' }],
    },
  },
  {
    name: 'posts.list',
    call: async (client) => {
      await client.posts.create({ content: 'Idea', saveAsDraft: true });
      return client.posts.list({ status: 'draft' });
    },
    expected: {
      items: [{ postId: 'post_1', content: 'Idea', status: 'draft', createdAt: at }],
      response: { total: 1 },
    },
  },
  {
    name: 'posts.updateScheduled',
    call: (client, { facebook }, service) => {
      const { postId } = service.seed.post({
        scheduledFor: '2026-03-03T09:00:00Z',
        platforms: [{ platform: 'facebook' }],
      });
      const platforms = [{ platform: 'facebook', accountId: facebook }] as const;
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service, and still an operation
      return client.posts.updateScheduled(postId, { content: 'New', platforms });
    },
    expected: { success: true, postId: 'post_1', scheduledFor: '2026-03-03T09:00:00Z' },
  },
  {
    name: 'comments.list',
    call: (client, { facebook }, service) => {
      service.seed.comment({ accountId: facebook, postId: 'p1', text: 'nice', replies: [{ text: 'thanks' }] });
      return client.comments.list({ platform: 'facebook', accountId: facebook, postId: 'p1' });
    },
    expected: { items: [{ text: 'nice', likeCount: 0, hidden: false, replies: [{ text: 'thanks' }] }] },
  },
  {
    name: 'messages.listConversations',
    call: (client, { instagram }, service) => {
      const { id } = service.seed.conversation({ accountId: instagram });
      service.seed.message({ accountId: instagram, conversationId: id, text: 'hello?' });
      return client.messages.listConversations({ platform: 'instagram', accountId: instagram });
    },
    expected: {
      items: [{ id: 'conversation_1', lastMessage: { text: 'hello?', from: { id: 'person_1' } }, updatedTime: at }],
      response: { selfUsername: 'acme' },
    },
  },
  {
    name: 'messages.list',
    call: (client, { instagram }, service) => {
      const { id } = service.seed.conversation({ accountId: instagram, id: 'a/b c' });
      service.seed.message({ accountId: instagram, conversationId: id, text: 'hello?' });
      return client.messages.list(id, { platform: 'instagram', accountId: instagram });
    },
    expected: { items: [{ text: 'hello?', timestamp: at }] },
  },
  {
    name: 'messages.send',
    call: (client, { instagram }) =>
      client.messages.send({ platform: 'instagram', accountId: instagram, recipientId: 'person_9', text: 'Hi' }),
    expected: { success: true, messageId: 'message_1' },
  },
  {
    name: 'automations.create',
    call: (client, { instagram }) =>
      client.automations.create({
        accountId: instagram,
        name: 'Guide',
        postScope: 'any',
        keywords: ['guide'],
        dmMessage: 'Here',
      }),
    expected: {
      id: 'automation_1',
      platform: 'instagram',
      status: 'active',
      trigger: { postScope: 'any', keywords: ['guide'], matchMode: 'exact' },
      actions: { dmMessage: 'Here' },
      stats: { triggered: 0, succeeded: 0, failed: 0 },
    },
  },
  {
    name: 'automations.list',
    call: (client, { instagram }, service) => {
      service.seed.automation({ accountId: instagram, name: 'Guide' });
      return client.automations.list({ accountId: instagram });
    },
    expected: [{ id: 'automation_1', name: 'Guide' }],
  },
  {
    name: 'automations.listEligiblePosts',
    call: (client, { instagram }, service) => {
      service.seed.eligiblePost({ accountId: instagram, caption: 'Hello' });
      return client.automations.listEligiblePosts({ accountId: instagram });
    },
    expected: { items: [{ caption: 'Hello', timestamp: at }] },
  },
  {
    name: 'automations.listLogs',
    call: (client, { instagram }, service) => {
      const { id } = service.seed.automation({ accountId: instagram });
      service.seed.automationLog({ automationId: id, commentText: 'guide' });
      return client.automations.listLogs(id);
    },
    expected: {
      items: [{ commentText: 'guide', status: 'running', publicReplyStatus: 'sent', privateReplySent: true }],
      response: { pagination: { total: 1, skip: 0, hasMore: false } },
    },
  },
  {
    name: 'analytics.getPost',
    call: (client, _, service) => {
      const { postId } = service.seed.post({
        status: 'published',
        content: 'Hi',
        platforms: [{ platform: 'instagram' }],
      });
      service.seed.metrics({ postId, metrics: { likes: 7 } });
      return client.analytics.getPost(postId);
    },
    expected: {
      source: 'service',
      postId: 'post_1',
      publishedAt: at,
      aggregated: { likes: 7 },
      platforms: [{ platform: 'instagram', metrics: { likes: 7 } }],
    },
  },
  {
    name: 'analytics.listPosts',
    call: (client, _, service) => {
      service.seed.post({ status: 'published', content: 'Hi', platforms: [{ platform: 'instagram' }] });
      return client.analytics.listPosts();
    },
    expected: { items: [{ postId: 'post_1', content: 'Hi', aggregated: {} }] },
  },
  {
    name: 'analytics.getInstagramInsights',
    call: (client, { instagram }, service) => {
      service.seed.metrics({ accountId: instagram, metrics: { reach: 120 } });
      return client.analytics.getInstagramInsights({ accountId: instagram });
    },
    expected: {
      platform: 'instagram',
      dateRange: { since: '2026-01-31', until: '2026-03-02' },
      metricType: 'total_value',
      metrics: { reach: { total: 120 } },
    },
  },
  {
    name: 'notifications.create',
    call: (client) =>
      client.notifications.create({
        channel: 'webhook',
        eventTypes: ['post.failed'],
        webhook: { url: 'https://app.test/hook' },
      }),
    expected: {
      id: 'notification_1',
      channel: 'webhook',
      eventTypes: ['post.failed'],
      enabled: true,
      webhook: { url: 'https://app.test/hook', secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/) as unknown },
    },
  },
  {
    name: 'integrations.list',
    call: (client) => client.integrations.list({ platform: 'tiktok' }),
    expected: { items: [{ id: 'integration_3', username: 'acme', profileId: null }], response: { total: 1 } },
  },
  {
    name: 'integrations.get',
    call: (client, { instagram }) => client.integrations.get(instagram),
    expected: {
      id: 'integration_1',
      scopes: [],
      tokenStatus: { valid: true, reconnectRequired: false },
      updatedAt: at,
    },
  },
  {
    name: 'integrations.update',
    call: (client, { instagram }) => client.integrations.update(instagram, { profileId: 'profile_1' }),
    expected: { id: 'integration_1', profileId: 'profile_1' },
  },
  {
    name: 'integrations.selectFacebookPages',
    call: (client, _, service) => {
      const { token } = service.seed.selection({
        platform: 'facebook',
        token: 'a',
        accounts: [{ id: 'page_1' }, { id: 'page_2' }],
      });
      return client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_2'] });
    },
    expected: { platform: 'facebook', integrations: [{ platform: 'facebook', platformUserId: 'page_2' }] },
  },
  {
    name: 'integrations.selectInstagramAccounts',
    call: (client, _, service) => {
      const { token } = service.seed.selection({ platform: 'instagram', accounts: [{ id: 'ig_1', username: 'one' }] });
      return client.integrations.selectInstagramAccounts(token, { selectedAccountIds: ['ig_1'] });
    },
    expected: { platform: 'instagram', integrations: [{ platformUserId: 'ig_1', username: 'one' }] },
  },
  {
    name: 'apps.create',
    call: (client) => client.apps.create({ platform: 'tiktok', name: 'Ours', clientId: 'c', clientSecret: 'hush' }),
    expected: { id: 'app_1', platform: 'tiktok', clientId: 'c', integrationCount: 0, createdAt: at },
  },
];

it('covers every endpoint', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(endpointsByName).sort());
  expect(operations).toHaveLength(21);
});

const allWays: typeof ways = {
  ...ways,
  'msw under a base URL with a path': (service) => throughMsw(service, 'https://gateway.test:8443/social'),
};

describe.each(Object.entries(allWays))('over %s', (_, open) => {
  let way: Way | undefined;
  afterEach(async () => {
    await way?.close();
    way = undefined;
  });

  it.each(operations)('$name answers as documented', async ({ name, call, expected }) => {
    const service = createEmulator({ now: () => start });
    const ids = accounts(service);
    way = await open(service);
    const result = await call(clientOf(way.fetch, way.url), ids, service);
    expect(result).toMatchObject(expected as object);
    const reply = responseOf(result);
    expect(reply?.status).toBe(200);
    // The client keeps fields that it doesn't know, so a misspelt one would not be seen otherwise.
    expect(unknownFields(endpointsByName[name] as Endpoint, reply?.body)).toEqual([]);
  });
});
