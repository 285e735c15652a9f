import type { InstagramMetric, PostMetrics } from '../../resources/analytics.js';
import type { Integration } from '../../resources/integrations.js';
import { commentPlatforms, type CommentPlatform } from '../../resources/comments.js';
import type { KnownPostStatus, Post } from '../../resources/posts.js';
import { knownPlatforms, type KnownPlatform } from '../../model/platforms.js';
import { shownAutomation } from '../handlers/automations.js';
import type { Service } from '../handlers/behaviour.js';
import { day, dayMs, timestamp } from '../service/time.js';
import { captions, directMessages, people, remarks, thanks } from './demo-texts.js';
import { shownConversation } from '../handlers/messages.js';
import { nextRandom } from '../service/random.js';
import type { DemoSeed, Seed } from './seed.js';

const hourMs = dayMs / 24;
const minuteMs = hourMs / 60;

/** 60 posts: how many in which status. */
const statuses: readonly (readonly [KnownPostStatus, number])[] = [
  ['published', 28],
  ['scheduled', 12],
  ['draft', 8],
  ['partial', 5],
  ['failed', 4],
  ['pending', 2],
  ['publishing', 1],
];

const fortnightDays = 14;
/** How far back the account's figures go: the whole range of the insights. */
const insightsDays = 90;

/** From Sunday to Saturday: people look at a coffee roaster's posts before the weekend. */
const weekRhythm = [0.72, 0.94, 1, 1.04, 1.12, 1.3, 0.88] as const;

const errors = [
  'The video is longer than the platform takes.',
  'The image could not be read.',
  'The platform did not answer in time.',
];
const warnings = ['The link preview was left out.', 'The image was cut to 4:5.'];

/** Draws from the emulator's one random state. */
class Dice {
  readonly #holder: { random: number };

  constructor(holder: { random: number }) {
    this.#holder = holder;
  }

  between(low: number, high: number): number {
    return low + Math.floor(nextRandom(this.#holder) * (high - low + 1));
  }

  chance(probability: number): boolean {
    return nextRandom(this.#holder) < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  /** Some, in their order. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = from.map((_, index) => index);
    while (left.length > count) left.splice(this.between(0, left.length - 1), 1);
    return left.flatMap((index) => from[index] ?? []);
  }
}

/** Fills an emulator with a fortnight of a coffee roaster, up to its clock's now. */
export function seedDemo(service: Service, seed: Omit<Seed, 'demo'>): DemoSeed {
  const dice = new Dice(service.store.state);
  const now = service.clock.now();
  const integrations = seedIntegrations(seed, now);
  const posts = seedPosts(seed, dice, integrations, now);
  for (const post of posts) seedFigures(seed, dice, post);
  for (const post of posts) seedComments(seed, dice, post, integrations);
  const instagram = integrations.filter(({ platform }) => platform === 'instagram');
  for (const account of instagram) seedInsights(seed, dice, account.id, now);
  const { store } = service;
  // Read again at the end: logs and messages have changed them since they were seeded.
  const automations = seedAutomations(seed, dice, instagram, now)
    .flatMap((id) => store.state.automations.get(id) ?? [])
    .map(({ automation }) => structuredClone(shownAutomation(store, automation)));
  const conversations = instagram
    .flatMap((account) => seedConversations(seed, dice, account, now))
    .flatMap((id) => store.state.conversations.get(id) ?? [])
    .map((conversation) => structuredClone(shownConversation(store, conversation)));
  return {
    integrations,
    posts,
    automations,
    conversations,
    selections: {
      facebook: seed.selection({
        platform: 'facebook',
        accounts: [
          { id: '100200300400', username: 'birchandbean.events', displayName: 'Birch & Bean Events' },
          { id: '100200300401', username: 'birchandbean.jobs', displayName: 'Birch & Bean Jobs' },
        ],
      }).token,
      instagram: seed.selection({
        platform: 'instagram',
        accounts: [{ id: '17841400000000777', username: 'birchandbean.studio', displayName: 'Birch & Bean Studio' }],
      }).token,
    },
  };
}

function seedIntegrations(seed: Omit<Seed, 'demo'>, now: number): Integration[] {
  const roastery = { profileId: 'profile_roastery', profileName: 'Roastery' };
  const cafe = { profileId: 'profile_cafe', profileName: 'Café' };
  const connect = (platform: KnownPlatform, daysAgo: number, fields: object) =>
    seed.integration({
      platform,
      username: 'birchandbean',
      displayName: 'Birch & Bean',
      createdAt: timestamp(now - daysAgo * dayMs),
      ...fields,
    });
  return [
    ...knownPlatforms.map((platform, index) =>
      connect(platform, 200 - index * 9, {
        ...(index % 5 === 4 ? {} : roastery),
        // One account whose token ran out, as every team has.
        ...(platform === 'pinterest' ? { authStatus: 'expired', authFailureReason: 'token_expired' } : {}),
      }),
    ),
    connect('instagram', 60, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
    connect('facebook', 58, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
  ];
}

function seedPosts(seed: Omit<Seed, 'demo'>, dice: Dice, integrations: readonly Integration[], now: number): Post[] {
  const working = integrations.filter(({ authStatus }) => authStatus === 'active');
  const plans = statuses.flatMap(([status, count]) =>
    Array.from({ length: count }, (_, index) => ({ status, time: timeOf(dice, status, index, count, now) })),
  );
  // As they would have been created: oldest first.
  const created = plans.map((plan) => ({
    ...plan,
    createdAt: Math.min(plan.time, now) - dice.between(2, 30) * hourMs,
  }));
  created.sort((a, b) => a.createdAt - b.createdAt);
  return created.map(({ status, time, createdAt }, number) => {
    const accounts = dice.some(working, status === 'partial' ? dice.between(2, 4) : dice.between(1, 4));
    const content = captions[number % captions.length];
    const hasTime = status !== 'draft';
    return seed.post({
      ...(content === undefined ? {} : { content }),
      status,
      timezone: 'Europe/Berlin',
      createdAt: timestamp(createdAt),
      updatedAt: timestamp(Math.max(createdAt, Math.min(time, now))),
      ...(hasTime ? { scheduledFor: timestamp(time) } : {}),
      mediaItems: dice.chance(0.6) ? [image(number)] : [],
      platforms: accounts.map((account, index) => target(dice, status, account, index)),
      rawRequestBody: {
        ...(content === undefined ? {} : { content }),
        platforms: accounts.map(({ platform, id }) => ({ platform, accountId: id })),
        ...(hasTime ? { scheduledFor: timestamp(time) } : { saveAsDraft: true }),
      },
    });
  });
}

/** What was published lies in the fortnight behind, what is scheduled in the one ahead, in the hours when people read. */
function timeOf(dice: Dice, status: KnownPostStatus, index: number, count: number, now: number): number {
  if (status === 'publishing' || status === 'pending') return now - index * minuteMs;
  const spread = ((index + 0.5) / count) * fortnightDays;
  const start = Math.floor(now / dayMs) * dayMs;
  const whole = status === 'scheduled' ? Math.floor(spread) + 1 : -Math.floor(spread) - 1;
  return start + whole * dayMs + dice.pick([7, 9, 12, 16, 18]) * hourMs + dice.pick([0, 15, 30]) * minuteMs;
}

function image(number: number) {
  const filename = `birch-and-bean-${String(number + 1)}.jpg`;
  return {
    type: 'image',
    url: `https://media.service.invalid/${filename}`,
    filename,
    size: 180_000 + number * 1_337,
    mimeType: 'image/jpeg',
  };
}

function target(dice: Dice, status: KnownPostStatus, account: Integration, index: number) {
  // The platforms of a seeded integration are known ones.
  const fields = { platform: account.platform as KnownPlatform, accountId: account.id };
  if (status === 'failed' || (status === 'partial' && index === 0 && dice.chance(0.6))) {
    return { ...fields, errorMessage: dice.pick(errors) };
  }
  return status === 'partial' && index <= 1 ? { ...fields, warningMessage: dice.pick(warnings) } : fields;
}

/** What each platform tells of a post. What it doesn't tell is missing, never 0. */
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

function seedFigures(seed: Omit<Seed, 'demo'>, dice: Dice, post: Post): void {
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

function rhythm(time: number): number {
  return weekRhythm[new Date(time).getUTCDay()] ?? 1;
}

function seedComments(seed: Omit<Seed, 'demo'>, dice: Dice, post: Post, integrations: readonly Integration[]): void {
  const accountIds = accountsOf(post);
  for (const [place, { platform, platformPostId, publishedAt }] of (post.platforms ?? []).entries()) {
    const account = integrations.find(({ id }) => id === accountIds[place]);
    if (platformPostId === undefined || publishedAt === undefined || account === undefined) continue;
    if (!commentPlatforms.includes(platform as CommentPlatform)) continue;
    const count = dice.between(0, 9);
    for (let index = 0; index < count; index += 1) {
      const written = Date.parse(publishedAt) + (index * 97 + dice.between(1, 60)) * minuteMs;
      const author = dice.pick(people);
      const reply = {
        text: dice.pick(thanks),
        author: { id: account.platformUserId, name: account.displayName },
        timestamp: timestamp(written + dice.between(5, 90) * minuteMs),
        likeCount: dice.between(0, 3),
      };
      seed.comment({
        accountId: account.id,
        postId: platformPostId,
        text: dice.pick(remarks),
        author: { id: `${platform ?? ''}_${author.username}`, name: author.name },
        timestamp: timestamp(written),
        likeCount: dice.between(0, 12),
        hidden: dice.chance(0.04),
        replies: dice.chance(0.45) ? [reply] : [],
      });
    }
  }
}

/** The account behind each target of a post that was seeded here. A listed target doesn't name it; the request does. */
function accountsOf(post: Post): string[] {
  const { platforms } = post.rawRequestBody as { platforms: { accountId: string }[] };
  return platforms.map(({ accountId }) => accountId);
}

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

function seedInsights(seed: Omit<Seed, 'demo'>, dice: Dice, accountId: string, now: number): void {
  for (let ago = insightsDays; ago >= 0; ago -= 1) {
    const time = now - ago * dayMs;
    // It grows by a quarter over the range.
    const level = rhythm(time) * (1 + (insightsDays - ago) / insightsDays / 4);
    const metrics = Object.fromEntries(
      insightBase.map(([name, base]) => [name, Math.round(base * level * (0.93 + dice.between(0, 14) / 100))]),
    );
    seed.metrics({ accountId, date: day(time), metrics });
  }
}

function seedAutomations(
  seed: Omit<Seed, 'demo'>,
  dice: Dice,
  accounts: readonly Integration[],
  now: number,
): string[] {
  const plans = [
    {
      name: 'Brew guide',
      keywords: ['guide', 'recipe'],
      dmMessage: 'Here is our brew guide: https://birchandbean.example/guide',
      runs: 34,
    },
    {
      name: 'Summer discount',
      keywords: ['summer'],
      dmMessage: 'Your code is SUMMER. It is good for one bag.',
      runs: 21,
    },
    {
      name: 'Opening hours',
      keywords: ['open', 'hours'],
      dmMessage: 'We are open from 8 to 18, on Sundays from 10.',
      runs: 5,
    },
  ];
  return accounts.flatMap((account, place) => {
    for (let index = 0; index < 30; index += 1) {
      seed.eligiblePost({
        accountId: account.id,
        caption: captions[(index * 3 + place) % captions.length],
        mediaType: dice.pick(['IMAGE', 'VIDEO', 'CAROUSEL_ALBUM']),
        timestamp: timestamp(now - (index * 11 + dice.between(1, 8)) * hourMs),
      });
    }
    // The second account has but one.
    return plans.slice(0, place === 0 ? plans.length : 1).map(({ name, keywords, dmMessage, runs }) => {
      const { id: automationId } = seed.automation({
        accountId: account.id,
        name,
        trigger: { postScope: 'any', keywords, matchMode: 'exact' },
        actions: { publicReplies: ['Sent you a message!', 'Look into your inbox.'], dmMessage },
        createdAt: timestamp(now - 40 * dayMs),
        updatedAt: timestamp(now - 20 * dayMs),
      });
      for (let index = 0; index < runs; index += 1) {
        const person = dice.pick(people);
        const failed = dice.chance(0.1);
        seed.automationLog({
          automationId,
          commenterId: `instagram_${person.username}`,
          commenterName: person.name,
          commentText: dice.pick(keywords),
          platformPostId: `instagram_post_${String(dice.between(1, 12))}`,
          status: failed ? 'failed' : 'succeeded',
          privateReplySent: !failed,
          publicReplyStatus: 'sent',
          ...(failed ? { error: 'The person takes no messages from this account.' } : {}),
          createdAt: timestamp(now - (index * 9 + dice.between(1, 8)) * hourMs),
        });
      }
      return automationId;
    });
  });
}

function seedConversations(seed: Omit<Seed, 'demo'>, dice: Dice, account: Integration, now: number): string[] {
  const accountId = account.id;
  const self = { id: account.platformUserId, name: account.username };
  return dice.some(people, 9).map((person, place) => {
    const { id: conversationId } = seed.conversation({
      accountId,
      participants: [{ id: `instagram_${person.username}`, name: person.name, username: person.username }],
      updatedTime: timestamp(now - 20 * dayMs),
    });
    const begun = now - (place * 31 + dice.between(2, 30)) * hourMs;
    for (const [index, text] of dice.pick(directMessages).entries()) {
      // They take turns, and the customer begins.
      const from = index % 2 === 0 ? {} : { from: self };
      seed.message({ accountId, conversationId, text, timestamp: timestamp(begun + index * 7 * minuteMs), ...from });
    }
    return conversationId;
  });
}
