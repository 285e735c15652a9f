import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { AccountOptions } from '../../parts/Options.js';
import { Loading } from '../../parts/Loading.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { accounts } from '../../state/accounts.js';
import { bound } from '../../state/choice.js';
import { postsError, postsRead } from '../../state/posts.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { formatDateTime } from '../../state/time.js';
import { CommentForm } from './CommentForm.js';
import { CommentItem } from './CommentItem.js';
import { commentRuns } from './runs.js';
import {
  account,
  candidates,
  chosenComment,
  comments,
  place,
  published,
  withComments,
  type CommentedPost,
} from './commented-posts.js';

export function CommentsView() {
  const shown = useRemoteOf(comments, place.chosen.value?.platformPostId);
  const runs = useRemoteOf(commentRuns, place.chosen.value?.platformPostId);
  return (
    <View
      title="Comments"
      about="Comments on published posts. Write one as a follower to see which automations it triggers."
    >
      {candidates.value.length > 0 && <Choice />}
      <Problem text={comments.error.value} retry={() => void comments.reload()} />
      {accounts.value.value === undefined || !postsRead.value ? (
        <Loading error={accounts.error.value ?? postsError.value} />
      ) : place.chosen.value === undefined ? (
        <Empty icon="comments" title="No published post of a platform with comments">
          <p>
            Publish a post on Facebook, Instagram, Threads or LinkedIn with <strong>New post</strong>. Its comments are
            listed here.
          </p>
        </Empty>
      ) : (
        <div class="split split-wide">
          <section class="panel" aria-label="Comments on the post">
            <h2>{shown === undefined ? 'Comments' : shown.length === 1 ? '1 comment' : `${shown.length} comments`}</h2>
            <p class="hint">
              on{' '}
              <PostLink postId={place.chosen.value.postId}>
                {place.chosen.value.content || place.chosen.value.postId}
              </PostLink>
            </p>
            {shown === undefined && <Loading error={comments.error.value} />}
            {shown?.length === 0 && <p class="hint">No comments yet. Write the first one as a follower.</p>}
            <ul role="list" class="thread">
              {shown?.map((comment) => (
                <CommentItem
                  key={comment.id}
                  comment={comment}
                  run={runs?.get(comment.id)}
                  isChosen={comment.id === chosenComment.value}
                />
              ))}
            </ul>
          </section>
          <CommentForm post={place.chosen.value} />
        </div>
      )}
    </View>
  );
}

function Choice() {
  const commented = useRemoteOf(withComments, postsRead.value ? account.chosen.value?.id : undefined);
  const has = ({ platformPostId }: CommentedPost) => commented?.has(platformPostId) === true;
  return (
    <div class="filters filters-two">
      <Field label="Account">
        <select {...bound(account.id, account.chosen.value?.id)}>
          <AccountOptions accounts={candidates.value} />
        </select>
      </Field>
      <Field label="Post">
        <select {...bound(place.id, place.chosen.value?.platformPostId)}>
          <PostOptions label="With comments" posts={published.value.filter(has)} />
          <PostOptions label="Other posts" posts={published.value.filter((post) => !has(post))} />
        </select>
      </Field>
    </div>
  );
}

function PostOptions({ label, posts }: { readonly label: string; readonly posts: readonly CommentedPost[] }) {
  if (posts.length === 0) return null;
  return (
    <optgroup label={label}>
      {posts.map(({ platformPostId, content, publishedAt }) => (
        <option key={platformPostId} value={platformPostId}>
          {formatDateTime(publishedAt)}: {content.slice(0, 60)}
        </option>
      ))}
    </optgroup>
  );
}
