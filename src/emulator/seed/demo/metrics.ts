import type { KnownPlatform } from '../../../model/known-values.js';
import type { InstagramMetric, PostMetrics } from '../../../resources/analytics.js';
import type { Post } from '../../../posts/posts.js';
import { day, dayMs } from '../../state/time.js';
import { rhythm, type DemoWorld } from './world.js';

/** The metrics that each platform reports. Others are missing, never 0. */
const told: Readonly<Record<string, readonly (keyof PostMetrics)[]>> = {
  twitter: ['impressions', 'likes', 'comments', 'shares', 'engagementRate'],
  instagram: ['reach', 'views', 'likes', 'comments', 'shares', 'saves', 'engagementRate'],
  youtube: ['views', 'likes', 'comments', 'avgWatchTime', 'totalWatchTime'],
  tiktok: ['views', 'likes', 'comments', 'shares', 'avgWatchTime', 'skipRate'],
  linkedin: ['impressions', 'likes', 'comments', 'shares', 'clicks', 'engagementRate'],
  bluesky: ['likes', 'comments', 'shares'],
  facebook: ['impressions', 'reach', 'likes', 'comments', 'shares', 'clicks'],
  threads: ['views', 'likes', 'comments', 'shares'],
  googlebusiness: ['views', 'clicks'],
};

export function seedPostMetrics({ seed, dice }: DemoWorld, post: Post): void {
  for (const { platform = '', publishedAt } of post.platforms ?? []) {
    if (publishedAt === undefined) continue;
    const reach = Math.round(dice.between(700, 1500) * rhythm(Date.parse(publishedAt)));
    const likes = Math.round(reach * 0.05 + dice.between(0, 20));
    const all: Required<{ [Name in keyof PostMetrics]: number }> = {
      impressions: Math.round(reach * 1.4),
      reach,
      likes,
      comments: Math.round(likes * 0.12),
      shares: Math.round(likes * 0.08),
      saves: Math.round(likes * 0.15),
      clicks: Math.round(reach * 0.02),
      views: Math.round(reach * 1.2),
      engagementRate: Math.round((likes * 1.2 * 1000) / reach) / 10,
      avgWatchTime: dice.between(4, 19),
      totalWatchTime: reach * dice.between(4, 9),
      skipRate: dice.between(20, 55),
    };
    const metrics = Object.fromEntries((told[platform] ?? []).map((name) => [name, all[name]]));
    // The platforms of a seeded post are known ones.
    seed.metrics({ postId: post.postId, platform: platform as KnownPlatform, metrics });
  }
}

/** The age of the oldest account metrics: the whole range of the insights. */
const insightsDays = 90;
/** The ages of days without account metrics: a gap, as platforms have them. */
const gap: readonly number[] = [11, 12, 13];

const insightBase: readonly (readonly [InstagramMetric, number])[] = [
  ['reach', 1900],
  ['views', 4200],
  ['accounts_engaged', 260],
  ['total_interactions', 410],
  ['comments', 38],
  ['likes', 290],
  ['saves', 44],
  ['shares', 31],
  ['profile_views', 120],
];

export function seedInsights({ seed, dice, now }: DemoWorld, accountId: string): void {
  for (let ago = insightsDays; ago >= 0; ago -= 1) {
    const time = now - ago * dayMs;
    // It grows by a quarter over the range.
    const level = rhythm(time) * (1 + (insightsDays - ago) / insightsDays / 4);
    const metrics = Object.fromEntries(
      insightBase.map(([name, base]) => [name, Math.round(base * level * (0.93 + dice.between(0, 14) / 100))]),
    );
    if (!gap.includes(ago)) seed.metrics({ accountId, date: day(time), metrics });
  }
}
