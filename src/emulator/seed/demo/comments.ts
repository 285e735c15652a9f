import type { Integration } from '../../../resources/integrations.js';
import { commentPlatforms, type CommentPlatform } from '../../../resources/comments.js';
import type { Post } from '../../../resources/posts.js';
import { timestamp } from '../../service/time.js';
import { people, remarks, thanks } from './texts.js';
import { minuteMs, type DemoWorld } from './world.js';

export function seedComments({ seed, dice }: DemoWorld, post: Post, integrations: readonly Integration[]): void {
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

/** Returns the account of each target of a seeded post. A listed target does not contain it; the request does. */
function accountsOf(post: Post): string[] {
  const { platforms } = post.rawRequestBody as { platforms: { accountId: string }[] };
  return platforms.map(({ accountId }) => accountId);
}
