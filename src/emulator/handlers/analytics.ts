import { withoutUndefined } from '../../core/json.js';
import type {
  AnalyticsSortBy,
  analyticsEndpoints,
  InstagramInsight,
  PostAnalytics,
  PostMetrics,
} from '../../resources/analytics.js';
import { metricNames } from '../../resources/instagram-insights.js';
import { account } from './integrations.js';
import { analyticsRange, insightsRange, ErrorReply, type Handlers, newestFirst, slice, sorted } from './handler.js';
import { age, day, dayMs, instant } from '../state/time.js';
import { publishedAt } from '../state/post-view.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { StoredPost, StoredTarget } from '../state/stored-records.js';

// Not documented.
const dataDelay = 'up to 48 hours';

export const analyticsHandlers: Handlers<typeof analyticsEndpoints> = {
  getPost({ store }, { query }) {
    const { postId, accountId, platform, source } = query;
    if (accountId !== undefined) account(store, accountId);
    const shown = (target: StoredTarget) => platform === undefined || target.platform === platform;
    const own = store.state.posts.get(postId);
    if (own !== undefined && source !== 'platform') {
      if (publishedAt(own) === undefined) throw new ErrorReply(404, 'The post is not published.');
      return { success: true, post: postAnalytics(store.state, own, 'service', shown) };
    }
    if (accountId === undefined) {
      throw new ErrorReply(404, 'The post does not exist. To find a post by its ID on the platform, pass accountId.');
    }
    const found = platformPosts(store, accountId).find(
      (post) => post.postId === postId || post.platforms?.some((target) => target.platformPostId === postId),
    );
    if (found === undefined) throw new ErrorReply(404, 'The post does not exist.');
    // Without a source, an external ID resolves to the service's own post, if there is one.
    const resolved = source === 'platform' ? undefined : store.state.posts.get(found.postId ?? '');
    if (resolved === undefined) {
      if (source === 'service') throw new ErrorReply(404, 'The service has no such post.');
      return { success: true, post: found };
    }
    return { success: true, post: postAnalytics(store.state, resolved, 'service', shown) };
  },

  listPosts({ store, clock }, { query }) {
    const { accountId, platform, source, sortBy = 'date', order = 'desc', limit, page = 1 } = query;
    const today = clock.now();
    const from = query.fromDate ?? day(today - analyticsRange.days * dayMs);
    const to = query.toDate ?? day(today);
    if (accountId !== undefined) account(store, accountId);
    const posts = source === 'platform' ? platformPosts(store, accountId ?? '') : servicePosts(store.state, accountId);
    const matching = posts.filter((post) => {
      const published = post.publishedAt === undefined ? undefined : day(instant(post.publishedAt));
      if (published === undefined || published < from || published > to) return false;
      return platform === undefined || post.platforms?.some((target) => target.platform === platform) === true;
    });
    const latestFirst = sortBy === 'date' && order === 'desc';
    const all = latestFirst
      ? newestFirst(matching, ({ publishedAt: at }) => at)
      : sorted(matching, (post) => sortKey(post, sortBy), order);
    const items = slice(all, (page - 1) * (limit ?? all.length), limit);
    return { success: true, total: all.length, page, limit, posts: items };
  },

  getInstagramInsights({ store, clock }, { query }) {
    const integration = account(store, query.accountId, 'instagram');
    if (integration.insightsReadable === false)
      throw new ErrorReply(403, 'The insights of this account cannot be read.');
    const today = clock.now();
    const since = query.since ?? day(today - insightsRange.days * dayMs);
    const until = query.until ?? day(today);
    const metricType = query.metricType ?? 'total_value';
    const days = [...store.state.accountMetrics.values()].filter(
      ({ accountId, date }) => accountId === query.accountId && date >= since && date <= until,
    );
    const inOrder = sorted(days, ({ date }) => date, 'asc');
    const metrics: Record<string, InstagramInsight> = {};
    for (const name of metricNames(query.metrics) ?? []) {
      const values = inOrder.flatMap(({ date, metrics: figures }) => {
        const value = figures[name];
        return value === undefined ? [] : [{ date, value }];
      });
      // Missing data is omitted, never 0.
      if (values.length === 0) continue;
      const total = values.reduce((sum, { value }) => sum + value, 0);
      if (metricType === 'time_series') {
        metrics[name] = { values };
        continue;
      }
      const breakdowns = inOrder
        .flatMap((figures) => figures.breakdowns[name] ?? [])
        .filter(
          ({ dimensionKeys }) => query.breakdown !== undefined && dimensionKeys?.includes(query.breakdown) === true,
        );
      metrics[name] = { total, ...(breakdowns.length === 0 ? {} : { breakdowns }) };
    }
    return {
      success: true,
      accountId: query.accountId,
      platform: 'instagram',
      dateRange: { since, until },
      metricType,
      metrics,
      dataDelay,
    };
  },
};

function servicePosts(state: State, accountId: string | undefined): PostAnalytics[] {
  const cameOut = (target: StoredTarget) => target.accountId === accountId && target.platformPostId !== undefined;
  return [...state.posts.fromOldest()]
    .filter((post) => publishedAt(post) !== undefined && (accountId === undefined || post.targets.some(cameOut)))
    .map((post) => postAnalytics(state, post, 'service', () => true));
}

/** Returns the posts on an account's platform, published by the service or elsewhere. */
function platformPosts({ state }: Store, accountId: string): PostAnalytics[] {
  const posts: PostAnalytics[] = [];
  const known = new Set<string>();
  for (const post of state.posts.fromOldest()) {
    for (const target of post.targets) {
      if (target.accountId !== accountId || target.platformPostId === undefined) continue;
      known.add(target.platformPostId);
      posts.push(postAnalytics(state, post, 'platform', (other) => other === target));
    }
  }
  const platform = state.integrations.get(accountId)?.platform;
  for (const [postId, entries] of state.postMetrics.entries()) {
    const entry = entries.find((other) => other.accountId === accountId);
    if (entry === undefined || known.has(postId)) continue;
    const eligible = state.eligiblePosts.get(accountId)?.findLast(({ id }) => id === postId);
    const metrics = metricsOf(state, postId, accountId, undefined) ?? {};
    const post: PostAnalytics = withoutUndefined({
      source: 'platform',
      postId,
      content: eligible?.caption,
      mediaType: eligible?.mediaType,
      thumbnailUrl: eligible?.previewUrl,
      publishedAt: eligible?.timestamp ?? entry.at,
      aggregated: metrics,
      platforms: [
        withoutUndefined({ platform, platformPostId: postId, platformPostUrl: eligible?.permalink, metrics }),
      ],
    });
    posts.push(post);
  }
  return posts;
}

function postAnalytics(
  state: State,
  post: StoredPost,
  source: 'service' | 'platform',
  shows: (target: StoredTarget) => boolean,
): PostAnalytics {
  const out = post.targets.filter((target) => target.platformPostId !== undefined);
  const shown = out.filter(shows);
  const platforms = shown.map((target) => {
    const { platform, platformPostId, platformPostUrl } = target;
    const metrics = targetMetrics(state, post, target, out.length === 1);
    return withoutUndefined({ platform, platformPostId, platformPostUrl, metrics });
  });
  const [media] = post.mediaItems;
  const own = shown.length === out.length ? metricsOf(state, post.postId, undefined, undefined) : undefined;
  return withoutUndefined({
    source,
    postId: post.postId,
    content: post.content,
    publishedAt: publishedAt(post),
    mediaType: media?.type,
    thumbnailUrl: media?.url,
    aggregated: own ?? sum(platforms),
    platforms,
  });
}

function targetMetrics(state: State, post: StoredPost, target: StoredTarget, alone: boolean): PostMetrics {
  const { accountId, platform, platformPostId = '' } = target;
  return (
    metricsOf(state, post.postId, undefined, platform) ??
    metricsOf(state, platformPostId, accountId, undefined) ??
    (alone ? metricsOf(state, post.postId, undefined, undefined) : undefined) ??
    {}
  );
}

/** Returns the seeded metrics of a post; later seeds override earlier ones. */
function metricsOf(
  state: State,
  postId: string,
  accountId: string | undefined,
  platform: string | undefined,
): PostMetrics | undefined {
  const entries = state.postMetrics
    .get(postId)
    ?.filter((entry) => entry.accountId === accountId && entry.platform === platform);
  if (entries === undefined || entries.length === 0) return undefined;
  return entries.reduce<PostMetrics>((all, { metrics }) => ({ ...all, ...metrics }), {});
}

// Rates and averages of several platforms don't add up.
const notAdditive: readonly string[] = ['engagementRate', 'avgWatchTime', 'skipRate'] satisfies (keyof PostMetrics)[];

/** Adds up the platforms' metrics. A figure that no platform has stays missing. */
function sum(platforms: readonly { readonly metrics: PostMetrics }[]): PostMetrics {
  const [first] = platforms;
  if (platforms.length === 1 && first !== undefined) return { ...first.metrics };
  const total: Record<string, number> = {};
  for (const { metrics } of platforms) {
    for (const [name, value] of Object.entries<number | undefined>({ ...metrics })) {
      if (value !== undefined && !notAdditive.includes(name)) total[name] = (total[name] ?? 0) + value;
    }
  }
  return total;
}

/** Returns the sort key of a post. A missing figure counts as the smallest. */
function sortKey(post: PostAnalytics, sortBy: AnalyticsSortBy): number {
  if (sortBy === 'date') return age(post.publishedAt);
  return post.aggregated?.[sortBy === 'engagement' ? 'engagementRate' : sortBy] ?? -Infinity;
}
