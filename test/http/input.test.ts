import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { InvalidRequestError, SocialPublishing, splitDateRange, type Issue } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { recordingServer } from '../support/recording-server.js';

/** Makes calls with invalid input, and returns the issues. No request may arrive. */
async function issuesOf(call: (client: SocialPublishing) => PromiseLike<unknown>): Promise<Issue[]> {
  const server = await recordingServer(() => ({ success: true }));
  const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key' });
  const error: unknown = await Promise.resolve(call(client)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(server.requests).toHaveLength(0);
  expect(client.creditsUsed).toBe(0);
  const invalid = error as InvalidRequestError;
  expect(invalid.outcome).toBe('not_sent');
  expect(invalid.route).toMatch(/^\/v1\//);
  for (const issue of invalid.issues) expect(invalid.message).toContain(issue.message);
  return [...invalid.issues];
}

const paths = (issues: readonly Issue[]) => issues.map(({ path }) => path.join('.')).sort();
const ofAnotherRealm = (code: string): never => runInNewContext(code) as never;
const draft = { content: 'x', saveAsDraft: true } as const;

/** Values that a caller without types might send. */
const untyped = (value: unknown) => value as never;

type Refused = [string, (client: SocialPublishing) => PromiseLike<unknown>, string[]];

describe('bad input is refused before anything is sent', () => {
  test('with every issue listed, each with its path and the allowed values', async () => {
    const issues = await issuesOf((client) =>
      client.posts.create(
        untyped({
          content: 7,
          platforms: [{ platform: 'myspace', accountId: 'a' }, { platform: 'twitter' }],
          scheduledFor: 'tomorrow',
          timezone: 'UTC',
        }),
      ),
    );
    expect(paths(issues)).toEqual([
      'content',
      'platforms.0.platform',
      'platforms.1.accountId',
      'scheduledFor',
      'timezone',
    ]);
    expect(issues.find(({ path }) => path.at(-1) === 'platform')?.message).toContain("'twitter', 'instagram'");
    expect(issues.find(({ path }) => path[0] === 'timezone')?.message).toContain('extraBody');
    expect(issues.find(({ path }) => path[0] === 'scheduledFor')?.message).toContain('ISO 8601');
  });

  test.each<[string, unknown, string]>([
    ['a day that does not exist', '2026-02-30T09:00:00Z', 'names a day that does not exist: 2026-02 has 28 days'],
    ['such a day without an offset', '2026-02-30T09:00:00', 'names a day that does not exist: 2026-02 has 28 days'],
    ['milliseconds', 1_800_000_000_000, 'pass milliseconds as new Date(n)'],
    ['an invalid Date', new Date(Number.NaN), 'must be an ISO 8601 date-time string'],
  ])('explains the mistake in a date-time: %s', async (_, scheduledFor, message) => {
    const issues = await issuesOf((client) => client.posts.create(untyped({ content: 'Hi', scheduledFor })));
    expect(issues.map((issue) => issue.message).join()).toContain(message);
    const listed = await issuesOf((client) => client.posts.list(untyped({ createdAfter: scheduledFor })));
    expect(listed.map((issue) => issue.message).join()).toContain(message);
  });

  test('an integration in place of a target is one issue, listed with all others', async () => {
    const { seed } = createEmulator();
    const integration = seed.integration({ platform: 'instagram' });
    const platforms = [
      integration,
      { platform: 'tiktok', accountId: '' },
      { platform: 'tiktok', id: 'int_2' },
      'int_3',
    ];
    const told = 'must be { platform, accountId }: pass targetOf(integration)';
    for (const call of [
      (client: SocialPublishing) => client.posts.create(untyped({ contnet: 'Hi', saveAsDraft: true, platforms })),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is part of the interface as long as the service has it
      (client: SocialPublishing) => client.posts.updateScheduled('post_1', untyped({ contnet: 'Hi', platforms })),
    ]) {
      const issues = await issuesOf(call);
      expect(paths(issues)).toEqual(['contnet', 'platforms.0', 'platforms.1.accountId', 'platforms.2', 'platforms.3']);
      expect(issues.filter(({ path }) => path.length === 2).map(({ message }) => message)).toEqual([
        `platforms.0 ${told}`,
        `platforms.2 ${told}`,
        `platforms.3 ${told}`,
      ]);
    }
  });

  test.each<[unknown, string]>([
    ['2026-02-30', 'names a day that does not exist: 2026-02 has 28 days'],
    [1_800_000_000_000, 'pass milliseconds as new Date(n)'],
    ['1 March', "must be a calendar day as 'YYYY-MM-DD'"],
  ])('explains the mistake in a date: %s', async (fromDate, message) => {
    const issues = await issuesOf((client) => client.analytics.listPosts(untyped({ fromDate })));
    expect(issues.map((issue) => issue.message).join()).toContain(message);
    expect(() => splitDateRange(untyped({ since: fromDate, until: '2026-03-01' }), 90)).toThrow(message);
  });

  test.each<Refused>([
    ['an unknown query field', (c) => c.posts.list(untyped({ tag: 'x' })), ['tag']],
    ['limits', (c) => c.posts.list({ limit: 0, offset: -1 }), ['limit', 'offset']],
    [
      'a limit above 100',
      (c) => c.comments.list({ platform: 'threads', accountId: 'a', postId: 'p', limit: 101 }),
      ['limit'],
    ],
    ['a fractional limit', (c) => c.integrations.list({ limit: 1.5 }), ['limit']],
    ['a page below 1', (c) => c.analytics.listPosts({ page: 0 }), ['page']],
    ['a skip below 0', (c) => c.automations.listLogs('auto_1', { skip: -1 }), ['skip']],
    [
      'an empty cursor of eligible posts',
      (c) => c.automations.listEligiblePosts({ accountId: 'a', after: '' }),
      ['after'],
    ],
    ['missing required fields', (c) => c.comments.list(untyped({})), ['accountId', 'platform', 'postId']],
    [
      'a platform without comments',
      (c) => c.comments.list(untyped({ platform: 'twitter', accountId: 'a', postId: 'p' })),
      ['platform'],
    ],
    [
      'a platform without messages',
      (c) => c.messages.listConversations(untyped({ platform: 'facebook', accountId: 'a' })),
      ['platform'],
    ],
    ['a null that has no meaning', (c) => c.posts.list(untyped({ status: null })), ['status']],
    ['a post scope that is not documented', (c) => c.automations.create(untyped({ postScope: 'one' })), ['postScope']],
    [
      'an event type that is not documented',
      (c) => c.notifications.create(untyped({ eventTypes: ['post.deleted'] })),
      ['eventTypes.0'],
    ],
    ["an address that isn't a URL", (c) => c.notifications.create({ webhook: { url: 'nope' } }), ['webhook.url']],
    ['an update without a profile', (c) => c.integrations.update('int_1', untyped({})), ['profileId']],
    [
      'a selection without accounts',
      (c) => c.integrations.selectFacebookPages('t', untyped({})),
      ['selectedAccountIds'],
    ],
    [
      'a Facebook token of no length',
      (c) => c.integrations.selectFacebookPages('', { selectedAccountIds: [] }),
      ['token'],
    ],
    [
      'an Instagram token that is too short',
      (c) => c.integrations.selectInstagramAccounts('x'.repeat(19), { selectedAccountIds: [] }),
      ['token'],
    ],
    [
      'an Instagram token that is too long',
      (c) => c.integrations.selectInstagramAccounts('x'.repeat(101), { selectedAccountIds: [] }),
      ['token'],
    ],
    ['an empty ID in a paid query', (c) => c.analytics.getPost(''), ['postId']],
    [
      'empty IDs in a query',
      (c) => c.comments.list({ platform: 'threads', accountId: '', postId: '' }),
      ['accountId', 'postId'],
    ],
    [
      'an empty ID of a target',
      (c) => c.posts.create({ publishNow: true, platforms: [{ platform: 'twitter', accountId: '' }] }),
      ['platforms.0.accountId'],
    ],
    ['a misspelt option of a call', (c) => c.posts.list({}, untyped({ retries: 3 })), ['retries']],
    ['invalid options', (c) => c.posts.create({ saveAsDraft: true }, untyped(null)), ['options']],
    ['an invalid signal', (c) => c.posts.list({}, untyped({ signal: 'x' })), ['signal']],
    ['a misspelt field of a request', (c) => c.request('POST /v1/posts/', untyped({ json: {} })), ['json']],
    [
      'a body of a request that JSON can not hold',
      (c) => c.request('POST /v1/posts/', { body: { big: 1n } }),
      ['body.big'],
    ],
    ['a number for a date-time', (c) => c.posts.list({ createdAfter: untyped(1_700_000_000_000) }), ['createdAfter']],
    ['an empty ID', (c) => c.integrations.get(''), ['id']],
    ["an ID that isn't a string", (c) => c.integrations.get(untyped(7)), ['id']],
    [
      'figures of a platform without an account',
      (c) => c.analytics.getPost('p', { source: 'platform' }),
      ['accountId'],
    ],
    [
      'a range above 366 days',
      (c) => c.analytics.listPosts({ fromDate: '2025-01-01', toDate: '2026-01-03' }),
      ['toDate'],
    ],
    [
      'a reversed range',
      (c) => c.analytics.getPost('p', { fromDate: '2026-01-02', toDate: '2026-01-01' }),
      ['fromDate'],
    ],
    ['a start too far back for today', (c) => c.analytics.listPosts({ fromDate: '2001-01-01' }), ['fromDate']],
    [
      'a day that does not exist',
      (c) => c.analytics.listPosts({ fromDate: '2026-02-29', toDate: '2026-03-01' }),
      ['fromDate'],
    ],
    [
      'insights above 90 days',
      (c) => c.analytics.getInstagramInsights({ accountId: 'a', since: '2026-01-01', until: '2026-04-02' }),
      ['until'],
    ],
    [
      'an unknown metric',
      (c) => c.analytics.getInstagramInsights({ accountId: 'a', metrics: 'reach,fame' }),
      ['metrics'],
    ],
    [
      'a time series of other than reach',
      (c) =>
        c.analytics.getInstagramInsights({ accountId: 'a', metrics: ['reach', 'likes'], metricType: 'time_series' }),
      ['metrics'],
    ],
    [
      'a time series of the default metrics',
      (c) => c.analytics.getInstagramInsights({ accountId: 'a', metricType: 'time_series' }),
      ['metrics'],
    ],
    [
      'a breakdown of a time series',
      (c) =>
        c.analytics.getInstagramInsights({
          accountId: 'a',
          metrics: 'reach',
          metricType: 'time_series',
          breakdown: 'x',
        }),
      ['breakdown'],
    ],
    ['an invalid Date', (c) => c.posts.list({ createdAfter: new Date(Number.NaN) }), ['createdAfter']],
    [
      'an invalid Date of another realm',
      (c) => c.posts.list({ createdAfter: ofAnotherRealm('new Date(NaN)') }),
      ['createdAfter'],
    ],
    [
      'more than a Date can hold',
      (c) => c.posts.list({ createdAfter: { epochMilliseconds: 8.64e15 + 1 } }),
      ['createdAfter'],
    ],
    ['a lone surrogate in a query', (c) => c.integrations.list({ q: 'a\ud800' }), ['q']],
    ['one in the query of a route', (c) => c.request('GET /v1/x', { query: { q: ['ok', '\udc00'] } }), ['q']],
    ['one in a name', (c) => c.posts.list({}, { extraQuery: { 'a\ud800': 'x' } }), ['a\ud800']],
    ['an array as extraBody', (c) => c.posts.create(draft, { extraBody: untyped([{ a: 1 }]) }), ['extraBody']],
    ['an array as extraQuery', (c) => c.posts.create(draft, { extraQuery: untyped([{ a: 1 }]) }), ['0', 'extraQuery']],
    ['no body at all', (c) => c.messages.send(untyped(undefined)), ['']],
    ['a body that is a string', (c) => c.posts.create(untyped('Hello')), ['']],
    [
      'call options',
      (c) => c.posts.list({}, { timeoutMs: 0, maxRetries: -1, headers: { 'x-access-key': 'other' } }),
      ['headers', 'maxRetries', 'timeoutMs'],
    ],
    ['extra query that can not be written', (c) => c.posts.list({}, { extraQuery: { a: { b: 1 } } }), ['a']],
    [
      'an extra body that JSON can not hold',
      (c) => c.posts.create({ saveAsDraft: true }, { extraBody: { big: 1n } }),
      ['extraBody.big'],
    ],
    ['an extra body on a read', (c) => c.posts.list({}, { extraBody: { a: 1 } }), ['extraBody']],
    ['a missing path parameter', (c) => c.request('GET /v1/posts/{postId}'), ['postId']],
    ['a path parameter too many', (c) => c.request('GET /v1/posts/', { params: { postId: 'x' } }), ['postId']],
    ['a path with dots', (c) => c.request('GET /v1/../admin'), ['route']],
    ['a path with encoded dots', (c) => c.request('GET /v1/%2E%2e/admin'), ['route']],
  ])('%s', async (_, call, expected) => {
    expect(paths(await issuesOf(call))).toEqual(expected);
  });

  test.each([
    'GET https://evil.example/v1/',
    'GET //evil.example',
    'v1/posts',
    'TRACE /v1/posts/',
    'GET /v1/posts/?x=1',
    'GET /v1\\posts',
    'GET /a b',
  ])('the route %j', async (route) => {
    const server = await recordingServer(() => ({}));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key' });
    const rejected = expect(client.request(route)).rejects;
    await rejected.toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    await rejected.toThrow(
      /^(?:Nothing was done|GET \/\/evil\.example was not sent): route must be a method and a path/,
    );
    expect(server.requests).toHaveLength(0);
  });
});

describe('documented values are sent', () => {
  test.each<[string, (client: SocialPublishing) => PromiseLike<unknown>]>([
    ['exactly 366 days', (c) => c.analytics.getPost('p', { fromDate: '2025-01-01', toDate: '2026-01-02' })],
    [
      'exactly 90 days',
      (c) => c.analytics.getInstagramInsights({ accountId: 'a', since: '2026-01-01', until: '2026-04-01' }),
    ],
    ['a leap day', (c) => c.analytics.getPost('p', { fromDate: '2024-02-29', toDate: '2024-02-29' })],
    ['any sort order of integrations', (c) => c.integrations.list({ sortBy: 'accountName' })],
    ['any status of logs', (c) => c.automations.listLogs('a', { status: 'done' })],
    ['an empty array, which is left out', (c) => c.posts.list({ platform: [] })],
    [
      'a path template that is given whole',
      (c) => c.request('PATCH /v1/posts/{id}', { params: { id: 'x' }, body: null }),
    ],
  ])('%s', async (_, call) => {
    const server = await recordingServer(() => ({
      success: true,
      post: {},
      metrics: {},
      postId: 'p',
      integrations: [],
      logs: [],
      posts: [],
    }));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key' });
    await call(client);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.target).not.toContain('platform');
  });
});
