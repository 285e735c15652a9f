import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { eitherClass } from '../../parts/focus.js';
import { AccountOptions } from '../../parts/Options.js';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { UnknownItem } from '../../parts/UnknownItem.js';
import { View } from '../../parts/View.js';
import { automations } from '../../state/automations.js';
import { accounts } from '../../state/accounts.js';
import { bound } from '../../state/choice.js';
import { postsError, postsRead } from '../../state/posts.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { account, candidates, published } from './account-posts.js';
import { counts } from './comment-counts.js';
import { listed, place, unknownPlace } from './commented-posts.js';
import { CommentsPanel } from './CommentsPanel.js';
import { PostList } from './PostList.js';

export function CommentsView() {
  // The order of the accounts depends on their automations.
  const isOrdered = automations.value.value !== undefined || automations.error.value !== undefined;
  const isRead = accounts.value.value !== undefined && postsRead.value && isOrdered;
  return (
    <View
      title="Comments"
      about="Comments on published posts. Write one as a follower to see which automations it triggers."
    >
      {isRead ? <Posts /> : <Loading error={accounts.error.value ?? postsError.value} />}
    </View>
  );
}

/** The posts of the chosen account, and beside them the chosen post. */
function Posts() {
  useRemoteOf(counts, account.chosen.value?.id);
  if (published.value.length === 0)
    return (
      <>
        {candidates.value.length > 0 && <AccountField />}
        <Empty icon="comments" title="No published post of a platform with comments">
          <p>
            Publish a post on Facebook, Instagram, Threads or LinkedIn with <strong>New post</strong>. Its comments are
            listed here.
          </p>
        </Empty>
      </>
    );
  const [{ value }, unknown] = [place.chosen, unknownPlace.value];
  return (
    <>
      <Problem text={counts.error.value} retry={() => void counts.reload()} />
      <div class={`split split-fill split-thread ${eitherClass(place.id.value, unknown ?? value?.platformPostId)}`}>
        <div class="list-column">
          <AccountField />
          {listed.value === undefined ? (
            <Loading error={counts.error.value} />
          ) : (
            <PostList posts={listed.value} chosen={unknown === undefined ? value?.platformPostId : undefined} />
          )}
        </div>
        {unknown !== undefined && (
          <UnknownItem kind="post of this account" id={unknown} choice={place.id} list="All posts">
            It may have been removed.
          </UnknownItem>
        )}
        {unknown === undefined && value !== undefined && <CommentsPanel post={value} />}
      </div>
    </>
  );
}

function AccountField() {
  return (
    <Field label="Account">
      <select {...bound(account.id, account.chosen.value?.id)}>
        <AccountOptions accounts={candidates.value} />
      </select>
    </Field>
  );
}
