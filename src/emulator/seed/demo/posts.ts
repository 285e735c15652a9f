import type { KnownPlatform, KnownPostStatus } from '../../../model/known-values.js';
import { isCommentPlatform } from '../../../resources/comments.js';
import type { Integration } from '../../../resources/integrations.js';
import type { Post } from '../../../posts/posts.js';
import { dayMs, timestamp } from '../../state/time.js';
import { type Dice, hourMs, minuteMs, type DemoWorld } from './world.js';
import { captions } from './texts.js';

/** The number of posts per status: 60 in total. */
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

const mediaErrors = [
  'The image has a format that the platform refuses.',
  'The image could not be read.',
  'The platform did not answer in time.',
];
const textErrors = [
  'The text is longer than the platform allows.',
  'The account has reached its daily limit.',
  'The platform did not answer in time.',
];
const warnings = ['The link preview was left out.', 'The image was cut to 4:5.'];

/** Seeds posts in every status, in creation order: oldest first. */
export function seedPosts({ seed, dice, now }: DemoWorld, integrations: readonly Integration[]): Post[] {
  const working = integrations.filter(({ authStatus }) => authStatus === 'active');
  const plans = statuses.flatMap(([status, count]) =>
    Array.from({ length: count }, (_, index) => ({ status, time: timeOf(dice, status, index, count, now) })),
  );
  const created = plans.map((plan) => ({
    ...plan,
    createdAt: Math.min(plan.time, now) - dice.between(2, 30) * hourMs,
  }));
  created.sort((a, b) => a.createdAt - b.createdAt);
  return created.map(({ status, time, createdAt }, number) => {
    const picked = dice.some(working, status === 'partial' ? dice.between(2, 4) : dice.between(1, 4));
    const accounts = status === 'pending' || status === 'publishing' ? withoutComments(picked, working) : picked;
    const content = captions[number % captions.length];
    const hasTime = status !== 'draft';
    const mediaItems = dice.chance(0.6) ? [image(number)] : [];
    const errors = mediaItems.length > 0 ? mediaErrors : textErrors;
    return seed.post({
      ...(content === undefined ? {} : { content }),
      status,
      timezone: 'Europe/Berlin',
      createdAt: timestamp(createdAt),
      updatedAt: timestamp(Math.max(createdAt, Math.min(time, now))),
      ...(hasTime ? { scheduledFor: timestamp(time) } : {}),
      mediaItems,
      platforms: accounts.map((account, index) => target(dice, status, account, index, errors)),
      rawRequestBody: {
        ...(content === undefined ? {} : { content }),
        platforms: accounts.map(({ platform, id }) => ({ platform, accountId: id })),
        ...(mediaItems.length > 0 ? { mediaItems } : {}),
        ...(hasTime ? { scheduledFor: timestamp(time) } : { saveAsDraft: true }),
      },
    });
  });
}

/**
 * Replaces accounts of platforms with comments. These posts are published within a minute: a list of comments would then
 * open with a post that has none.
 */
function withoutComments(picked: readonly Integration[], working: readonly Integration[]): Integration[] {
  const others = working.filter(({ platform }) => !isCommentPlatform(platform));
  const replaced = picked.map((account, index) => (others.includes(account) ? account : others[index]));
  return [...new Set(replaced)].filter((account) => account !== undefined);
}

/** Published posts are in the last two weeks, scheduled ones in the next two, at hours with many readers. */
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

function target(dice: Dice, status: KnownPostStatus, account: Integration, index: number, errors: readonly string[]) {
  // The platforms of a seeded integration are known ones.
  const fields = { platform: account.platform as KnownPlatform, accountId: account.id };
  if (status === 'failed' || (status === 'partial' && index === 0 && dice.chance(0.6))) {
    return { ...fields, errorMessage: dice.pick(errors) };
  }
  return status === 'partial' && index <= 1 ? { ...fields, warningMessage: dice.pick(warnings) } : fields;
}
