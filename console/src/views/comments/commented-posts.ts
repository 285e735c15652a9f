import { computed } from '@preact/signals';
import { isCommentPlatform, type Comment } from 'social-publishing';
import { choiceOf, unknownId } from '../../state/choice.js';
import { remote } from '../../state/remote.js';
import { setParams, viewParam, type AddressValue } from '../../state/route.js';
import { background } from '../../world/session.js';
import { account, published, type CommentedPost } from './account-posts.js';
import { counts } from './comment-counts.js';

const placeInAddress = viewParam('comments', 'place');

/** The comment that a link leads to. */
export const chosenComment = viewParam('comments', 'comment');

/** Another post has other comments. */
const placeId: AddressValue = {
  get value() {
    return placeInAddress.value;
  },
  set value(id) {
    setParams({ place: id, comment: '' }, 'push');
  },
};

/** The number of comments by post. Undefined until the comments of the chosen account are counted. */
export const countsOfAccount = computed(() => {
  const { value } = counts.value;
  return value !== undefined && value.accountId === account.chosen.value?.id ? value.byPost : undefined;
});

/** The posts with comments first. Undefined until the comments are counted: the rows must not change their order at once. */
export const listed = computed<readonly CommentedPost[] | undefined>(() => {
  const known = countsOfAccount.value;
  if (known === undefined) return counts.error.value === undefined ? undefined : published.value;
  const has = ({ platformPostId }: CommentedPost) => (known.get(platformPostId) ?? 0) > 0;
  return [...published.value.filter(has), ...published.value.filter((post) => !has(post))];
});

const idOf = ({ platformPostId }: CommentedPost) => platformPostId;

export const place = choiceOf(
  computed(() => listed.value ?? []),
  idOf,
  placeId,
);

export const unknownPlace = unknownId(listed, idOf, placeId);

interface CommentsOfPost {
  readonly platformPostId: string | undefined;
  readonly comments: readonly Comment[];
}

export const comments = remote<CommentsOfPost>(async () => {
  const { value } = place.chosen;
  const platform = value?.account.platform;
  if (value === undefined || !isCommentPlatform(platform)) return { platformPostId: undefined, comments: [] };
  const { platformPostId } = value;
  const query = { platform, accountId: value.account.id, postId: platformPostId, limit: 100 };
  return { platformPostId, comments: await background().comments.list(query).toArray({ maxItems: 500 }) };
}, ['comment', 'automation']);

/** The comments of the chosen post. Undefined until they are read. */
export const commentsOfPlace = computed(() => {
  const { value } = comments.value;
  return value?.platformPostId === place.chosen.value?.platformPostId ? value?.comments : undefined;
});

export const unknownComment = unknownId(commentsOfPlace, ({ id }) => id, chosenComment);
