import { computed } from '@preact/signals';
import { isCommentPlatform, type Integration, type Post } from 'social-publishing';
import { accounts } from '../../state/accounts.js';
import { automations } from '../../state/automations.js';
import { choiceOf } from '../../state/choice.js';
import { posts } from '../../state/posts.js';
import { setParams, viewParam, type AddressValue } from '../../state/route.js';
import { accountsOf } from '../../state/target-accounts.js';

/** A post on a platform, which owns comments. */
export interface CommentedPost {
  readonly postId: string;
  readonly account: Integration;
  readonly platformPostId: string;
  readonly content: string;
  readonly publishedAt: string | undefined;
}

/** Accounts with automations come first: their comments trigger something. */
export const candidates = computed(() => {
  const known = accounts.value.value ?? [];
  const all = known.filter(({ platform }) => isCommentPlatform(platform));
  const automated = new Set(automations.value.value?.map(({ accountId }) => accountId));
  return [...all.filter(({ id }) => automated.has(id)), ...all.filter(({ id }) => !automated.has(id))];
});

const accountInAddress = viewParam('comments', 'account');

/** Another account has other posts. */
const accountId: AddressValue = {
  get value() {
    return accountInAddress.value;
  },
  set value(id) {
    setParams({ account: id, place: '', comment: '' }, 'replace');
  },
};

export const account = choiceOf(candidates, ({ id }) => id, accountId);

/** The published posts of the account, the latest first, if lists show the account of a target. */
export const published = computed<readonly CommentedPost[]>(() => {
  const of = account.chosen.value;
  if (of === undefined) return [];
  return posts.value.flatMap((post) => commented(post, of)).sort(latestFirst);
});

function latestFirst({ publishedAt: a = '' }: CommentedPost, { publishedAt: b = '' }: CommentedPost): number {
  return a > b ? -1 : Number(a < b);
}

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
