import type { Integration } from '../../../resources/integrations.js';
import type { Post } from '../../../posts/posts.js';
import { dayMs, timestamp } from '../../state/time.js';
import { ownAuthor, type PlacedTarget, placesOf } from './comments.js';
import { captions, people } from './texts.js';
import { hourMs, type DemoWorld } from './world.js';

interface Plan {
  readonly name: string;
  readonly keywords: string[];
  readonly dmMessage: string;
  readonly runs: number;
}

const plans: readonly Plan[] = [
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

const publicReply = 'Sent you a message!';
const runMs = 1_000;

/** Seeds automations with their runs, and posts that they could watch. Returns the automations' IDs. */
export function seedAutomations(world: DemoWorld, accounts: readonly Integration[], posts: readonly Post[]): string[] {
  return accounts.flatMap((account, place) => {
    seedEligiblePosts(world, account.id, place);
    const published = posts.flatMap((post) => placesOf(post, [account]));
    // The second account has only one.
    return plans
      .slice(0, place === 0 ? plans.length : 1)
      .map((plan) => seedAutomation(world, account.id, plan, published));
  });
}

function seedEligiblePosts({ seed, dice, now }: DemoWorld, accountId: string, place: number): void {
  for (let index = 0; index < 30; index += 1) {
    seed.eligiblePost({
      accountId,
      caption: captions[(index * 3 + place) % captions.length],
      mediaType: dice.pick(['IMAGE', 'VIDEO', 'CAROUSEL_ALBUM']),
      timestamp: timestamp(now - (index * 11 + dice.between(1, 8)) * hourMs),
    });
  }
}

function seedAutomation(
  world: DemoWorld,
  accountId: string,
  { name, keywords, dmMessage, runs }: Plan,
  published: readonly PlacedTarget[],
): string {
  const { seed, now } = world;
  const { id: automationId } = seed.automation({
    accountId,
    name,
    trigger: { postScope: 'any', keywords, matchMode: 'exact' },
    actions: { publicReplies: [publicReply, 'Check your inbox.'], dmMessage },
    createdAt: timestamp(now - 40 * dayMs),
    updatedAt: timestamp(now - 20 * dayMs),
  });
  for (let index = 0; index < runs; index += 1) seedRun(world, automationId, keywords, { index, published });
  return automationId;
}

/** Seeds a run, and the comment that triggered it if a post was published by then. */
function seedRun(
  { seed, dice, now }: DemoWorld,
  automationId: string,
  keywords: readonly string[],
  { index, published }: { readonly index: number; readonly published: readonly PlacedTarget[] },
): void {
  const person = dice.pick(people);
  const failed = dice.chance(0.1);
  const author = { id: `instagram_${person.username}`, name: person.name };
  const text = dice.pick(keywords);
  const unlisted = `instagram_post_${String(dice.between(1, 12))}`;
  const ms = now - (index * 9 + dice.between(1, 8)) * hourMs;
  const createdAt = timestamp(ms);
  // The newest post at that time.
  const place = published.findLast(({ publishedAt }) => Date.parse(publishedAt) < ms);
  const comment =
    place === undefined
      ? undefined
      : seed.comment({
          accountId: place.account.id,
          postId: place.platformPostId,
          text,
          author,
          timestamp: createdAt,
          replies: [{ text: publicReply, author: ownAuthor(place.account), timestamp: timestamp(ms + runMs) }],
        });
  seed.automationLog({
    automationId,
    ...(comment === undefined ? {} : { commentId: comment.id }),
    commenterId: author.id,
    commenterName: author.name,
    commentText: text,
    platformPostId: place?.platformPostId ?? unlisted,
    status: failed ? 'failed' : 'succeeded',
    privateReplySent: !failed,
    publicReplyStatus: 'sent',
    ...(failed ? { error: 'The user accepts no messages from this account.' } : {}),
    createdAt,
  });
}
