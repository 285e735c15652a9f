import { isCommentPlatform } from 'social-publishing';
import { remote } from '../../state/remote.js';
import { background } from '../../world/session.js';
import { account, published } from './account-posts.js';

interface CommentCounts {
  readonly accountId: string | undefined;
  readonly byPost: ReadonlyMap<string, number>;
}

/** Each of the account's latest posts costs a request: a reply has no total. */
export const countedPosts = 20;

/** More comments of a post are not counted. */
const mostCounted = 9;

/** The number of comments of the account's latest posts. */
export const counts = remote<CommentCounts>(async () => {
  const of = account.chosen.value;
  const platform = of?.platform;
  if (of === undefined || !isCommentPlatform(platform)) return { accountId: undefined, byPost: new Map() };
  const limit = mostCounted + 1;
  const found = await Promise.all(
    published.value.slice(0, countedPosts).map(async ({ platformPostId }) => {
      const query = { platform, accountId: of.id, postId: platformPostId, limit };
      const some = await background().comments.list(query).toArray({ maxItems: limit });
      return [platformPostId, some.length] as const;
    }),
  );
  return { accountId: of.id, byPost: new Map(found) };
}, ['comment', 'automation', 'post']);

/** Returns a number of comments for the user. */
export function countWords(count: number): string {
  if (count > mostCounted) return `${mostCounted}+ comments`;
  if (count === 0) return 'no comments';
  return count === 1 ? '1 comment' : `${count} comments`;
}
