import type { Integration } from '../../../resources/integrations.js';
import { isCommentPlatform } from '../../../resources/comments.js';
import type { Post } from '../../../posts/posts.js';
import { timestamp, dayMs } from '../../state/time.js';
import { people, remarks, thanks, directMessages } from './texts.js';
import { minuteMs, type DemoWorld, hourMs } from './world.js';

export interface PlacedTarget {
  readonly account: Integration;
  readonly platform: string;
  readonly platformPostId: string;
  readonly publishedAt: string;
}

export function seedComments(world: DemoWorld, post: Post, integrations: readonly Integration[]): void {
  for (const place of placesOf(post, integrations)) {
    const count = world.dice.between(3, 9);
    for (let index = 0; index < count; index += 1) seedOne(world, place, index);
  }
}

/** Returns the published targets of a post on platforms with comments. */
export function placesOf(post: Post, integrations: readonly Integration[]): PlacedTarget[] {
  const accountIds = accountsOf(post);
  return (post.platforms ?? []).flatMap(({ platform = '', platformPostId, publishedAt }, index) => {
    const account = integrations.find(({ id }) => id === accountIds[index]);
    if (platformPostId === undefined || publishedAt === undefined || account === undefined) return [];
    if (!isCommentPlatform(platform)) return [];
    return [{ account, platform, platformPostId, publishedAt }];
  });
}

function seedOne({ seed, dice }: DemoWorld, place: PlacedTarget, index: number): void {
  const { account, platform, platformPostId, publishedAt } = place;
  const written = Date.parse(publishedAt) + (index * 97 + dice.between(1, 60)) * minuteMs;
  const author = dice.pick(people);
  const reply = {
    text: dice.pick(thanks),
    author: ownAuthor(account),
    timestamp: timestamp(written + dice.between(5, 90) * minuteMs),
    likeCount: dice.between(0, 3),
  };
  seed.comment({
    accountId: account.id,
    postId: platformPostId,
    text: dice.pick(remarks),
    author: { id: `${platform}_${author.username}`, name: author.name },
    timestamp: timestamp(written),
    likeCount: dice.between(0, 12),
    hidden: dice.chance(0.04),
    replies: dice.chance(0.45) ? [reply] : [],
  });
}

export function ownAuthor({ platformUserId, displayName }: Integration) {
  return { id: platformUserId, name: displayName };
}

/** Returns the account of each target of a seeded post. A listed target does not contain it; the request does. */
function accountsOf(post: Post): string[] {
  const { platforms } = post.rawRequestBody as { platforms: { accountId: string }[] };
  return platforms.map(({ accountId }) => accountId);
}

export function seedConversations({ seed, dice, now }: DemoWorld, account: Integration): string[] {
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
