import { showPanelBelow } from '../../parts/focus.js';
import { VirtualList, type RowFocus } from '../../parts/VirtualList.js';
import { formatDateTime } from '../../state/time.js';
import { countedPosts, countWords } from './comment-counts.js';
import { countsOfAccount, place } from './commented-posts.js';
import type { CommentedPost } from './account-posts.js';

interface Props {
  readonly posts: readonly CommentedPost[];
  readonly chosen: string | undefined;
}

export function PostList({ posts, chosen }: Props) {
  return (
    <>
      <p class="hint">
        Posts with comments first, then the latest.
        {posts.length > countedPosts && ` Comments are counted for the latest ${countedPosts} posts.`}
      </p>
      <VirtualList
        items={posts}
        label="Posts, those with comments first"
        keyOf={({ platformPostId }) => platformPostId}
        chosen={chosen}
        row={(post, focus) => <PostRow post={post} focus={focus} isChosen={post.platformPostId === chosen} />}
      />
    </>
  );
}

interface RowProps {
  readonly post: CommentedPost;
  readonly focus: RowFocus;
  readonly isChosen: boolean;
}

function PostRow({ post: { platformPostId, postId, content, publishedAt }, focus, isChosen }: RowProps) {
  const count = countsOfAccount.value?.get(platformPostId);
  return (
    <button
      type="button"
      class="row commented-row"
      {...focus}
      aria-current={isChosen}
      onClick={() => {
        place.id.value = platformPostId;
        showPanelBelow('.comments-panel');
      }}
    >
      <span class="post-text" dir="auto">
        {content || postId}
      </span>
      <span class="hint">{formatDateTime(publishedAt)}</span>
      {count !== undefined && <span class={count === 0 ? 'hint' : 'comment-count'}>{countWords(count)}</span>}
    </button>
  );
}
