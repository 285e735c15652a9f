import { expect, test } from 'vitest';
import { SocialPublishing } from '../../src/index.js';
import { recordingServer } from '../support/recording-server.js';

const instagramToken = 'instagram-selection-token';

interface Case {
  readonly name: string;
  readonly call: (client: SocialPublishing) => PromiseLike<unknown>;
  readonly reply: unknown;
  readonly sent: string;
  readonly body?: unknown;
  /** The result of the call, as a part of the reply. Missing: the whole reply. */
  readonly result?: unknown;
}

const integration = { id: 'int_1', platform: 'bluesky' };
const automation = { id: 'auto_1' };
const list = { success: true, nextCursor: '' };

const cases: readonly Case[] = [
  {
    name: 'posts.create of a draft',
    call: (client) => client.posts.create({ content: 'Hello', saveAsDraft: true }),
    reply: { success: true, postId: 'post_1', status: 'draft', platforms: [] },
    sent: 'POST /v1/posts/',
    body: { content: 'Hello', saveAsDraft: true },
  },
  {
    name: 'posts.create to publish now',
    call: (client) =>
      client.posts.create({
        content: 'Grüße 👋🏽',
        publishNow: true,
        platforms: [{ platform: 'twitter', accountId: 'int_1' }],
      }),
    reply: {
      success: true,
      postId: 'post_1',
      status: 'published',
      platforms: [{ platform: 'twitter', success: true }],
    },
    sent: 'POST /v1/posts/',
    body: { content: 'Grüße 👋🏽', publishNow: true, platforms: [{ platform: 'twitter', accountId: 'int_1' }] },
  },
  {
    name: 'posts.create scheduled with a Date and an extra field',
    call: (client) =>
      client.posts.create(
        {
          content: 'Hi',
          scheduledFor: new Date(Date.UTC(2026, 2, 1, 9)),
          platforms: [{ platform: 'twitter', accountId: 'int_1' }],
        },
        { extraBody: { timezone: 'Europe/Berlin' } },
      ),
    reply: { success: true, postId: 'post_1', status: 'scheduled', scheduledFor: '2026-03-01T09:00:00.000Z' },
    sent: 'POST /v1/posts/',
    body: {
      content: 'Hi',
      scheduledFor: '2026-03-01T09:00:00.000Z',
      platforms: [{ platform: 'twitter', accountId: 'int_1' }],
      timezone: 'Europe/Berlin',
    },
  },
  {
    name: 'posts.list without filters',
    call: (client) => client.posts.list().then((page) => page.response),
    reply: { success: true, total: 0, posts: [] },
    sent: 'GET /v1/posts/',
  },
  {
    name: 'posts.list of one platform',
    call: (client) => client.posts.list({ platform: 'bluesky' }).then((page) => page.response),
    reply: { success: true, total: 0, posts: [] },
    sent: 'GET /v1/posts/?platform=bluesky',
  },
  {
    name: 'posts.list with every filter',
    call: (client) =>
      client.posts
        .list(
          {
            status: 'scheduled',
            platform: ['twitter', 'bluesky'],
            profileId: null,
            createdAfter: new Date(Date.UTC(2026, 0, 1)),
            createdBefore: '2026-02-01T00:00:00+01:00',
            scheduledAfter: '2026-01-01T00:00:00Z',
            scheduledBefore: '2026-02-01T00:00:00Z',
            limit: 100,
            offset: 40,
            sort: 'desc',
          },
          { extraQuery: { tag: ['a', 'b'], none: undefined } },
        )
        .then((page) => page.response),
    reply: { success: true, total: 0, posts: [] },
    sent:
      'GET /v1/posts/?status=scheduled&platform=twitter&platform=bluesky&profileId=null&createdAfter=2026-01-01T00%3A00%3A00.000Z' +
      '&createdBefore=2026-02-01T00%3A00%3A00%2B01%3A00&scheduledAfter=2026-01-01T00%3A00%3A00Z&scheduledBefore=2026-02-01T00%3A00%3A00Z' +
      '&limit=100&offset=40&sort=desc&tag=a&tag=b',
  },
  {
    name: 'posts.updateScheduled',
    call: (client) =>
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is part of the interface as long as the service has it
      client.posts.updateScheduled('post/1 ü', {
        content: 'New',
        platforms: [{ platform: 'twitter', accountId: 'int_1' }],
      }),
    reply: { success: true, message: 'ok', postId: 'post/1 ü', scheduledFor: '2026-03-01T09:00:00Z' },
    sent: 'PUT /v1/posts/scheduled/post%2F1%20%C3%BC',
    body: { content: 'New', platforms: [{ platform: 'twitter', accountId: 'int_1' }] },
  },
  {
    name: 'comments.list',
    call: (client) =>
      client.comments
        .list({ platform: 'instagram', accountId: 'int_1', postId: 'ig_1', limit: 1, after: 'c 1' })
        .then((page) => page.response),
    reply: { ...list, comments: [{ id: 'c1', text: 'nice', replies: [{ id: 'r1', text: 'thanks' }] }] },
    sent: 'GET /v1/comments/?platform=instagram&accountId=int_1&postId=ig_1&limit=1&after=c+1',
  },
  {
    name: 'messages.listConversations',
    call: (client) =>
      client.messages
        .listConversations({ platform: 'instagram', accountId: 'int_1', limit: 20, after: 'x' })
        .then((page) => page.response),
    reply: {
      ...list,
      selfId: 'me',
      selfUsername: 'acme',
      conversations: [{ id: 'conv_1', lastMessage: { text: 'hi' } }],
    },
    sent: 'GET /v1/messages/?platform=instagram&accountId=int_1&limit=20&after=x',
  },
  {
    name: 'messages.list',
    call: (client) =>
      client.messages
        .list('conv/1', { platform: 'instagram', accountId: 'int_1', limit: 25, after: 'x' })
        .then((page) => page.response),
    reply: { ...list, messages: [{ id: 'm1', text: 'hi', from: { id: 'u1', name: 'Ann' } }] },
    sent: 'GET /v1/messages/conv%2F1?platform=instagram&accountId=int_1&limit=25&after=x',
  },
  {
    name: 'messages.send',
    call: (client) =>
      client.messages.send({ platform: 'instagram', accountId: 'int_1', recipientId: 'u1', text: 'Hello' }),
    reply: { success: true, messageId: 'm2' },
    sent: 'POST /v1/messages/',
    body: { platform: 'instagram', accountId: 'int_1', recipientId: 'u1', text: 'Hello' },
  },
  {
    name: 'automations.create',
    call: (client) =>
      client.automations.create({
        accountId: 'int_1',
        name: 'Sale',
        postScope: 'any',
        keywords: ['sale'],
        publicReplies: ['Sent!'],
        dmMessage: 'Here it is',
      }),
    reply: { success: true, automation },
    result: automation,
    sent: 'POST /v1/comment-automations/',
    body: {
      accountId: 'int_1',
      name: 'Sale',
      postScope: 'any',
      keywords: ['sale'],
      publicReplies: ['Sent!'],
      dmMessage: 'Here it is',
    },
  },
  {
    name: 'automations.list',
    call: (client) => client.automations.list({ accountId: 'int_1' }),
    reply: { success: true, automations: [automation] },
    result: [automation],
    sent: 'GET /v1/comment-automations/?accountId=int_1',
  },
  {
    name: 'automations.listEligiblePosts',
    call: (client) =>
      client.automations.listEligiblePosts({ accountId: 'int_1', after: 'x' }).then((page) => page.response),
    reply: { ...list, posts: [{ id: 'ig_1', caption: 'Hello' }] },
    sent: 'GET /v1/comment-automations/posts?accountId=int_1&after=x',
  },
  {
    name: 'automations.listLogs',
    call: (client) =>
      client.automations.listLogs('auto 1', { status: 'running', limit: 10, skip: 20 }).then((page) => page.response),
    reply: { success: true, logs: [{ id: 'log_1' }], pagination: { total: 1, limit: 10, skip: 20, hasMore: false } },
    sent: 'GET /v1/comment-automations/auto%201/logs?status=running&limit=10&skip=20',
  },
  {
    name: 'analytics.getPost',
    call: (client) =>
      client.analytics.getPost('ig_1', {
        platform: 'instagram',
        accountId: 'int_1',
        source: 'platform',
        fromDate: '2026-01-01',
        toDate: new Date(Date.UTC(2026, 0, 31, 23)),
      }),
    reply: { success: true, post: { postId: 'ig_1', aggregated: { likes: 7 } } },
    result: { postId: 'ig_1', aggregated: { likes: 7 } },
    sent: 'GET /v1/analytics/?postId=ig_1&platform=instagram&accountId=int_1&source=platform&fromDate=2026-01-01&toDate=2026-01-31',
  },
  {
    name: 'analytics.listPosts',
    call: (client) =>
      client.analytics
        .listPosts({ source: 'service', sortBy: 'engagement', order: 'desc', limit: 5, page: 2 })
        .then((page) => page.response),
    reply: { success: true, posts: [{ postId: 'post_1' }] },
    sent: 'GET /v1/analytics/?source=service&sortBy=engagement&order=desc&limit=5&page=2',
  },
  {
    name: 'analytics.getInstagramInsights with an array of metrics',
    call: (client) =>
      client.analytics.getInstagramInsights({
        accountId: 'int_1',
        metrics: ['reach', 'likes'],
        since: '2026-01-01',
        until: '2026-03-31',
        metricType: 'total_value',
        breakdown: 'media_product_type',
      }),
    reply: { success: true, metrics: { reach: { total: 120 } } },
    sent:
      'GET /v1/analytics/instagram/account-insights?accountId=int_1&metrics=reach%2Clikes&since=2026-01-01&until=2026-03-31' +
      '&metricType=total_value&breakdown=media_product_type',
  },
  {
    name: 'analytics.getInstagramInsights with the comma-separated string',
    call: (client) =>
      client.analytics.getInstagramInsights({ accountId: 'int_1', metrics: 'reach', metricType: 'time_series' }),
    reply: { success: true, metrics: { reach: { values: [{ date: '2026-01-01', value: 3 }] } } },
    sent: 'GET /v1/analytics/instagram/account-insights?accountId=int_1&metrics=reach&metricType=time_series',
  },
  {
    name: 'notifications.create',
    call: (client) =>
      client.notifications.create(
        {
          channel: 'webhook',
          eventTypes: ['post.scheduled', 'post.failed'],
          webhook: { url: 'https://example.com/hook' },
        },
        { extraBody: { onlyScheduledPosts: true } },
      ),
    reply: { success: true, notification: { id: 'sub_1', webhook: { secret: 'whs_1' } } },
    result: { id: 'sub_1', webhook: { secret: 'whs_1' } },
    sent: 'POST /v1/notifications/',
    body: {
      channel: 'webhook',
      eventTypes: ['post.scheduled', 'post.failed'],
      webhook: { url: 'https://example.com/hook' },
      onlyScheduledPosts: true,
    },
  },
  {
    name: 'integrations.list',
    call: (client) =>
      client.integrations
        .list({
          platform: 'linkedin',
          profileId: 'prof_1',
          q: 'Acme & Co',
          limit: 5,
          offset: 0,
          sortBy: 'name',
          sort: 'asc',
        })
        .then((page) => page.response),
    reply: { success: true, total: 1, integrations: [integration] },
    sent: 'GET /v1/connect/integrations?platform=linkedin&profileId=prof_1&q=Acme+%26+Co&limit=5&offset=0&sortBy=name&sort=asc',
  },
  {
    name: 'integrations.get',
    call: (client) => client.integrations.get('int_1'),
    reply: { success: true, integration: { ...integration, scopes: ['read'], tokenStatus: { valid: true } } },
    result: { ...integration, scopes: ['read'], tokenStatus: { valid: true } },
    sent: 'GET /v1/connect/integrations/int_1',
  },
  {
    name: 'integrations.update',
    call: (client) => client.integrations.update('int_1', { profileId: null }),
    reply: { success: true, integration: { ...integration, profileId: null } },
    result: { ...integration, profileId: null },
    sent: 'PATCH /v1/connect/integrations/int_1',
    body: { profileId: null },
  },
  {
    name: 'integrations.selectFacebookPages',
    call: (client) => client.integrations.selectFacebookPages('t', { selectedAccountIds: ['page_1'] }),
    reply: { success: true, platform: 'facebook', redirectUri: 'https://example.com', integrations: [integration] },
    sent: 'POST /v1/connect/facebook/selection/t',
    body: { selectedAccountIds: ['page_1'] },
  },
  {
    name: 'integrations.selectInstagramAccounts',
    call: (client) => client.integrations.selectInstagramAccounts(instagramToken, { selectedAccountIds: [] }),
    reply: { success: true, platform: 'instagram', integrations: [] },
    sent: `POST /v1/connect/instagram/selection/${instagramToken}`,
    body: { selectedAccountIds: [] },
  },
  {
    name: 'apps.create',
    call: (client) => client.apps.create({ platform: 'twitter', name: 'Mine', clientId: 'id', clientSecret: 'secret' }),
    reply: { success: true, app: { id: 'app_1', platform: 'twitter' } },
    result: { id: 'app_1', platform: 'twitter' },
    sent: 'POST /v1/apps/',
    body: { platform: 'twitter', name: 'Mine', clientId: 'id', clientSecret: 'secret' },
  },
  {
    name: 'request of an operation without a method',
    call: (client) =>
      client.request('DELETE /v1/notifications/{id}', { params: { id: 'sub 1' }, query: { force: true } }),
    reply: { success: true, message: 'gone' },
    sent: 'DELETE /v1/notifications/sub%201?force=true',
  },
];

test.each(cases)('$name is sent as documented', async ({ call, reply, sent, body, result }) => {
  const server = await recordingServer(() => reply);
  const client = new SocialPublishing({
    baseUrl: `${server.url}/proxy/`,
    accessKey: 'test-key',
    maxRetries: 0,
    headers: { 'x-app': 'wire-form' },
    strictResponses: true,
  });
  await expect(Promise.resolve(call(client))).resolves.toStrictEqual(result ?? reply);
  expect(server.requests).toHaveLength(1);
  const [request] = server.requests;
  expect(`${String(request?.method)} ${String(request?.target)}`).toBe(sent.replace(' ', ' /proxy'));
  expect(request?.headers).toMatchObject({
    'x-access-key': 'test-key',
    accept: 'application/json',
    'x-app': 'wire-form',
  });
  if (body === undefined) {
    expect(request?.body).toBe('');
    expect(request?.headers['content-type']).toBeUndefined();
  } else {
    expect(JSON.parse(request?.body ?? '')).toStrictEqual(body);
    expect(request?.headers['content-type']).toBe('application/json');
  }
});
