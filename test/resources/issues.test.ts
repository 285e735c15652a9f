import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  retryFailed,
  splitDateRange,
  targetOf,
  targetResults,
  zonedTime,
  type SocialPublishing,
} from '../../src/index.js';
import { everydayWorld } from './everyday-world.js';

const platforms = [{ platform: 'bluesky' as const, accountId: 'a' }];
const accountId = 'a';

/** Calls with a mistake, and the names of the fields that their issues are about. */
const calls: Readonly<Record<string, readonly [call: (client: SocialPublishing) => unknown, names: string[]]>> = {
  'posts.create: types': [
    (c) => c.posts.create({ content: 5, publishNow: 'yes', platforms: 'a' } as never),
    ['content', 'publishNow', 'platforms'],
  ],
  'posts.create: mode': [(c) => c.posts.create({ content: 'Hi', platforms } as never), ['scheduledFor']],
  'posts.create: targets': [(c) => c.posts.create({ content: 'Hi', publishNow: true, platforms: [] }), ['platforms']],
  'posts.create: a target': [
    (c) => c.posts.create({ publishNow: true, platforms: [{ platform: 'x', accountId: '' }] } as never),
    ['platforms.0.platform', 'platforms.0.accountId'],
  ],
  'posts.create: an integration as a target': [
    (c) => c.posts.create({ publishNow: true, platforms: [{ id: 'a', platform: 'bluesky' }] } as never),
    ['platforms.0'],
  ],
  'posts.list': [(c) => c.posts.list({ limit: 0, stats: 'x' } as never), ['limit', 'stats']],
  'posts.list: options': [(c) => c.posts.list({}, { concurrency: 0 }), ['concurrency']],
  'posts.list: a misspelt option': [(c) => c.posts.list({}, { concurency: 2 } as never), ['concurency']],
  toArray: [(c) => c.posts.list().toArray({ maxItems: -1 }), ['maxItems']],
  'posts.reconcile': [(c) => c.posts.reconcile({ body: {}, sentAt: 'soon' }), ['sentAt']],
  'posts.createMany': [
    (c) => c.posts.createMany(5 as never, { concurrency: 0, onProgress: 5 } as never).next(),
    ['bodies', 'concurrency', 'onProgress'],
  ],
  'posts.watch': [
    (c) => c.posts.watch([''], { since: 'x', pollMs: 0, waitMs: -1, events: 5 } as never).next(),
    ['postIds.0', 'since', 'pollMs', 'waitMs', 'events'],
  ],
  'posts.waitUntilFinal': [(c) => c.posts.waitUntilFinal({} as never), ['post']],
  'comments.list': [(c) => c.comments.list({} as never), ['platform', 'accountId', 'postId']],
  'analytics.getPost': [(c) => c.analytics.getPost('a', { source: 'platform' }), ['accountId']],
  'analytics.getInstagramInsights: metrics': [
    (c) => c.analytics.getInstagramInsights({ accountId, metrics: ['reech'] }),
    ['metrics'],
  ],
  'analytics.getInstagramInsights: range': [
    (c) => c.analytics.getInstagramInsights({ accountId, since: '2026-02-30', until: '2026-13-01' }),
    ['since', 'until'],
  ],
  'analytics.getInstagramInsights: series': [
    (c) => c.analytics.getInstagramInsights({ accountId, metricType: 'time_series', breakdown: 'a' }),
    ['metrics', 'breakdown'],
  ],
  'analytics.planInstagramInsights': [
    (c) => c.analytics.planInstagramInsights({ accountId: '', since: '2026-02-02', until: '2026-02-01' }),
    ['since', 'accountId'],
  ],
  'notifications.create': [
    (c) => c.notifications.create({ channel: 'webhook', webhook: { url: 'no' } }),
    ['webhook.url'],
  ],
  'integrations.needingAttention': [
    (c) => c.integrations.needingAttention({ withinDays: Infinity }).next(),
    ['withinDays'],
  ],
  'integrations.selectFacebookPages': [
    (c) => c.integrations.selectFacebookPages('t', {} as never),
    ['selectedAccountIds'],
  ],
  targetOf: [() => targetOf({ id: '', platform: 'myspace' }), ['id', 'platform']],
  targetResults: [() => targetResults(5 as never), ['source']],
  retryFailed: [() => retryFailed({ postId: 'a' }), ['post']],
  splitDateRange: [() => splitDateRange({ since: 'a', until: 'b' }, 0), ['since', 'until', 'maxDays']],
  'zonedTime: a gap': [() => zonedTime('2027-03-28T02:30', 'Europe/Berlin'), ['local']],
  'zonedTime: a zone': [() => zonedTime('2027-03-28T02:30', 'Berlin'), ['zone']],
  'zonedTime: an option': [() => zonedTime('2027-03-28T09:00', 'UTC', { gap: 'next' } as never), ['gap']],
};

describe('each issue names its field, and makes sense without its path', () => {
  it.each(Object.entries(calls))('%s', async (_, [call, names]) => {
    const world = everydayWorld();
    const error = await Promise.resolve()
      .then(() => call(world.client))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error).toBeInstanceOf(InvalidRequestError);
    const { issues } = error as InvalidRequestError;
    expect(issues.map(({ path }) => path.join('.')).sort()).toEqual([...names].sort());
    for (const { path, message } of issues) {
      const name = path.join('.');
      expect(message).toMatch(new RegExp(`^'?${name}'? (?:'[^']*' )?(must|is|cannot|does|names|has|occurs)\\b`));
    }
    expect(world.service.requests).toEqual([]);
  });
});
