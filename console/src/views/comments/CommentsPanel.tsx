import { BackToList } from '../../parts/BackToList.js';
import { Loading } from '../../parts/Loading.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { isStacked } from '../../state/screen.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { CommentForm } from './CommentForm.js';
import { CommentItem } from './CommentItem.js';
import { chosenComment, comments, commentsOfPlace, place, unknownComment } from './commented-posts.js';
import { commentRuns } from './runs.js';
import type { CommentedPost } from './account-posts.js';

/** Shows a post with its comments, and the form for a new comment. */
export function CommentsPanel({ post }: { readonly post: CommentedPost }) {
  const { platformPostId, postId, content, publishedAt } = post;
  useRemoteOf(comments, platformPostId);
  const runs = useRemoteOf(commentRuns, platformPostId);
  const shown = commentsOfPlace.value;
  return (
    <section class="panel thread-panel comments-panel chosen-panel" aria-label="Comments on the post">
      <BackToList label="All posts" choice={place.id} />
      <h2 tabIndex={-1}>
        {shown === undefined ? 'Comments' : shown.length === 1 ? '1 comment' : `${shown.length} comments`}
      </h2>
      <p class="commented-post">
        <PostLink postId={postId}>{content === '' ? postId : <bdi>{content}</bdi>}</PostLink>
      </p>
      <p class="hint">
        published {formatDateTime(publishedAt)}
        {isStacked.value && shown !== undefined && shown.length > 0 && <ToForm />}
      </p>
      <Problem text={comments.error.value} retry={() => void comments.reload()} />
      {shown === undefined && <Loading error={comments.error.value} />}
      {unknownComment.value !== undefined && (
        <p class="warn">
          No comment on this post has the ID <code>{unknownComment.value}</code>. It may have been removed.
        </p>
      )}
      {shown?.length === 0 && <p class="hint">No comments yet. Write the first one as a follower.</p>}
      <ul role="list" class="thread" tabIndex={0} aria-label="Comments">
        {shown?.map((comment) => (
          <CommentItem
            key={comment.id}
            comment={comment}
            run={runs?.get(comment.id)}
            isChosen={comment.id === chosenComment.value}
          />
        ))}
      </ul>
      <CommentForm post={post} />
    </section>
  );
}

/** On a narrow page, the form is below all comments. */
function ToForm() {
  return (
    <>
      {' · '}
      <button
        type="button"
        class="link"
        onClick={() => {
          document.querySelector<HTMLElement>('.comments-panel [name=text]')?.focus();
        }}
      >
        Write a comment
      </button>
    </>
  );
}
