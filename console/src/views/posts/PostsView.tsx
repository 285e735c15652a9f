import { computed } from '@preact/signals';
import type { Post } from 'social-publishing';
import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { FilterBar } from '../../parts/FilterBar.js';
import { PostFilters } from '../../parts/PostFilters.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { VirtualList } from '../../parts/VirtualList.js';
import { accountTitle } from '../../state/accounts.js';
import { bound } from '../../state/choice.js';
import { matchesFilter } from '../../state/post-filter.js';
import { loadingText, loadPosts, posts, postsError, postsRead, timeOf } from '../../state/posts.js';
import { partOf, quantity } from '../../state/quantity.js';
import { viewParam } from '../../state/route.js';
import { accountsOf } from '../../state/target-accounts.js';
import { instant } from '../../state/time.js';
import { FirstSteps } from './FirstSteps.js';
import { PostRow } from './PostRow.js';

const search = viewParam('posts', 'q');
const status = viewParam('posts', 'status');
const platform = viewParam('posts', 'platform');
/** A link from an account leads to its posts. */
const account = viewParam('posts', 'account');
/** `created` or, for the time of publication, `''`. */
const sort = viewParam('posts', 'sort');

/** Contents in lower case, once per post, because every typed character searches all of them. */
const searchTexts = new WeakMap<Post, string>();

function searchTextOf(post: Post): string {
  const text = searchTexts.get(post) ?? (post.content ?? '').toLowerCase();
  searchTexts.set(post, text);
  return text;
}

/** By time, the latest first; posts without a time are after them. */
const byTime = computed<readonly Post[]>(() =>
  posts.value
    .map((post) => ({ post, time: momentOf(post) }))
    .sort((a, b) => b.time - a.time)
    .map(({ post }) => post),
);

function momentOf(post: Post): number {
  const time = timeOf(post);
  return (time === undefined ? 0 : instant(time).getTime()) || 0;
}

const isByCreation = computed(() => sort.value === 'created');
/** Of scheduled posts, the next one matters most. */
const isNextFirst = computed(() => status.value === 'scheduled' && !isByCreation.value);

const sorted = computed(() => {
  if (isNextFirst.value) return byTime.value.toReversed();
  return isByCreation.value ? posts.value : byTime.value;
});

const shown = computed<readonly Post[]>(() => {
  const words = search.value.trim().toLowerCase();
  const filter = { status: status.value, platform: platform.value };
  return sorted.value.filter(
    (post) =>
      matchesFilter(post, filter) &&
      (account.value === '' || accountsOf(post).includes(account.value)) &&
      (words === '' || searchTextOf(post).includes(words) || post.postId === words),
  );
});

export function PostsView() {
  return (
    <View title="Posts" about={`${orderText()} Open a post to see the result of each target.`}>
      <Problem text={postsError.value} retry={() => void loadPosts()} />
      <Filters />
      {posts.value.length === 0 && postsRead.value ? (
        <Empty icon="posts" title="No posts yet">
          <FirstSteps />
        </Empty>
      ) : shown.value.length === 0 ? null : (
        <VirtualList
          items={shown.value}
          label="Posts"
          keyOf={(post) => post.postId}
          row={(post, focus) => <PostRow post={post} focus={focus} isByCreation={isByCreation.value} />}
        />
      )}
    </View>
  );
}

function orderText(): string {
  if (isNextFirst.value) return 'Scheduled posts, the next one first.';
  return `All posts, ${isByCreation.value ? 'last created' : 'latest time'} first.`;
}

function countText(): string {
  const loading = loadingText();
  if (loading !== undefined) return loading;
  const [some, all] = [shown.value.length, posts.value.length];
  const known = quantity(all, 'post', 'posts');
  if (some === 0 && all > 0) return `No match in ${known}. Change the filter.`;
  const text = partOf(some, all, known);
  return account.value === '' ? text : `${text}, on ${accountTitle(account.value)}`;
}

function Filters() {
  return (
    <FilterBar label="Filter posts" text={countText()} filters={[search, status, platform, account]}>
      <Field label="Search">
        <input type="search" placeholder="Words of the content" {...bound(search)} />
      </Field>
      <PostFilters status={status} platform={platform} />
      <Field label="Sort by">
        <select {...bound(sort)}>
          <option value="">time</option>
          <option value="created">creation</option>
        </select>
      </Field>
    </FilterBar>
  );
}
