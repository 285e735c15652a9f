import { withoutUndefined } from '../../core/json.js';
import {
  type InsightBreakdown,
  type InstagramMetric,
  instagramMetrics,
  postMetrics,
  type PostMetrics,
} from '../../resources/analytics.js';
import type { KnownPlatform } from '../../model/known-values.js';
import type { Service } from '../handlers/handler.js';
import type { Store } from '../state/store.js';
import { addTo } from '../state/table.js';
import { day, timestamp } from '../state/time.js';
import { integrationOf } from './accounts.js';

/** Metrics of a post. `postId` is the service's ID, or the platform's ID together with `accountId`. */
export interface PostMetricsSeed {
  /** The post's ID. */
  readonly postId: string;
  /** The integration's ID, with a platform's own post ID. */
  readonly accountId?: string | undefined;
  /** Only the metrics on this platform. Default: all platforms together. */
  readonly platform?: KnownPlatform | undefined;
  /** The metrics. */
  readonly metrics: PostMetrics;
}

/** Metrics of an account on one day, for the insights. */
export interface AccountMetricsSeed {
  /** The integration's ID. */
  readonly accountId: string;
  /** Always missing: with it, the metrics belong to a post. */
  readonly postId?: undefined;
  /** `YYYY-MM-DD`. Default: the emulator's day. */
  readonly date?: string | undefined;
  /** The day's values by metric. Omitted metrics keep their values. */
  readonly metrics: Readonly<Partial<Record<InstagramMetric, number>>>;
  /** Parts of totals, shown if a query requests one of their dimensions. */
  readonly breakdowns?: Readonly<Partial<Record<InstagramMetric, InsightBreakdown[]>>> | undefined;
}

export function seedMetrics(service: Service, fields: PostMetricsSeed | AccountMetricsSeed): object {
  checkNames('metrics', fields.metrics, fields.postId === undefined ? instagramMetrics : postMetrics);
  const given = withoutUndefined(fields.metrics);
  if (fields.accountId !== undefined) integrationOf(service.store, 'seed.metrics', fields.accountId);
  if (fields.postId === undefined) addAccountMetrics(service, fields, given);
  else addPostMetrics(service, fields, given);
  return given;
}

function checkNames(field: string, values: object, names: readonly string[]): void {
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`seed.metrics: ${field}.${unknown} is not a known metric; supported: ${names.join(', ')}.`);
}

function addAccountMetrics(
  { store, clock }: Service,
  { accountId, date = day(clock.now()), breakdowns = {} }: AccountMetricsSeed,
  metrics: Readonly<Record<string, number>>,
): void {
  checkNames('breakdowns', breakdowns, instagramMetrics);
  integrationOf(store, 'seed.metrics', accountId, ['instagram']);
  const { accountMetrics } = store.state;
  const key = JSON.stringify([accountId, date]);
  const before = accountMetrics.get(key);
  accountMetrics.set(key, {
    accountId,
    date,
    metrics: { ...before?.metrics, ...metrics },
    breakdowns: { ...before?.breakdowns, ...withoutUndefined(breakdowns) },
  });
}

function addPostMetrics(
  { store, clock }: Service,
  { postId, platform, accountId: given }: PostMetricsSeed,
  metrics: PostMetrics,
): void {
  // The service's posts are found by their own ID, for any account.
  const own = store.state.posts.get(postId) !== undefined;
  const accountId = own ? undefined : (given ?? publisherOf(store, postId));
  if (!own && accountId === undefined) {
    throw new TypeError("seed.metrics: postId does not match a post. A platform's post ID needs its accountId.");
  }
  const entry = { accountId, platform, at: timestamp(clock.now()), metrics };
  addTo(store.state.postMetrics, postId, entry);
}

/** Returns the account on whose platform the service published the post with this ID. */
function publisherOf({ state }: Store, platformPostId: string): string | undefined {
  return [...state.posts.fromOldest()]
    .flatMap((post) => post.targets)
    .find((target) => target.platformPostId === platformPostId)?.accountId;
}
