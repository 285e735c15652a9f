import { computed } from '@preact/signals';
import { isCommentPlatform, type Comment, type Integration, type Post } from 'social-publishing';
import { accounts } from '../../state/accounts.js';
import { choiceOf } from '../../state/choice.js';
import { posts } from '../../state/posts.js';
import { remote } from '../../state/remote.js';
import { viewParam } from '../../state/route.js';
import { accountsOf } from '../../state/target-accounts.js';
import { background } from '../../world/session.js';

/** A post on a platform, which owns comments. */
export interface CommentedPost {
  readonly postId: string;
  readonly account: Integration;
  readonly platformPostId: string;
  readonly content: string;
  readonly publishedAt: string | undefined;
}

export const candidates = computed(() =>
  (accounts.value.value ?? []).filter(({ platform }) => isCommentPlatform(platform)),
);

export const account = choiceOf(candidates, ({ id }) => id, viewParam('comments', 'account'));

/** The published posts of the account, if lists show the account of a target. */
export const published = computed<readonly CommentedPost[]>(() => {
  const of = account.chosen.value;
  return of === undefined ? [] : posts.value.flatMap((post) => commented(post, of));
});

export const place = choiceOf(
  published,
  ({ platformPostId }) => platformPostId,
  viewParam('comments', 'place', 'push'),
);

/** The comment that a link leads to. */
export const chosenComment = viewParam('comments', 'comment');

export const comments = remote<readonly Comment[]>(async () => {
  const { value } = place.chosen;
  const platform = value?.account.platform;
  if (value === undefined || !isCommentPlatform(platform)) return [];
  const query = { platform, accountId: value.account.id, postId: value.platformPostId, limit: 100 };
  return background().comments.list(query).toArray({ maxItems: 500 });
}, ['comment', 'automation']);

/** The number of posts that are searched for comments. */
const searchedPosts = 20;

/** The IDs of the account's latest posts that have comments. */
export const withComments = remote<ReadonlySet<string>>(async () => {
  const platform = account.chosen.value?.platform;
  if (!isCommentPlatform(platform)) return new Set();
  const found = await Promise.all(
    published.value.slice(0, searchedPosts).map(async ({ platformPostId, account: { id: accountId } }) => {
      const query = { platform, accountId, postId: platformPostId, limit: 1 };
      const some = await background().comments.list(query).toArray({ maxItems: 1 });
      return some.length > 0 ? [platformPostId] : [];
    }),
  );
  return new Set(found.flat());
}, ['comment', 'automation', 'post']);

function commented(post: Post, of: Integration): CommentedPost[] {
  const accountIds = accountsOf(post);
  return (post.platforms ?? []).flatMap(({ platform, platformPostId, publishedAt }, index) => {
    if (platform !== of.platform || platformPostId === undefined) return [];
    // A listed target has an account only if the request shows it.
    const told = accountIds[index];
    if (told !== undefined && told !== of.id) return [];
    return [{ postId: post.postId, account: of, platformPostId, content: post.content ?? '', publishedAt }];
  });
}
