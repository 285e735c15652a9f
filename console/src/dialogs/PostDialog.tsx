import { retryFailed, type Post } from 'social-publishing';
import { StatusBadge } from '../parts/Badges.js';
import { BusyButton } from '../parts/Busy.js';
import { Code, pretty } from '../parts/Code.js';
import { Dialog, mainKeys } from '../parts/Dialog.js';
import { mainKeyNames } from '../commands/keys.js';
import { Icon } from '../parts/Icon.js';
import { openDialog } from '../state/dialogs.js';
import { changed } from '../state/live.js';
import { PostLink } from '../parts/PostLink.js';
import { notifyOfPost } from '../state/post-notice.js';
import { findPost, targetsOf } from '../state/posts.js';
import { canReschedule } from '../state/reschedule.js';
import { rememberRetry, retriedBy, retryKey, retryOf } from '../state/retries.js';
import { formatDateTime } from '../state/time.js';
import { GoToPost } from './GoToPost.js';
import { PostTraffic } from '../views/posts/PostTraffic.js';
import { publisher } from '../world/session.js';
import { RescheduleForm } from './RescheduleForm.js';
import { TargetList } from './TargetList.js';

/** All that is known of one post. */
export function PostDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const post = findPost(postId);
  if (post === undefined) return null;
  return (
    <Dialog title={`Post ${postId}`} onClose={onClose} foot={<Actions post={post} />} wide>
      <div class="post-head">
        <StatusBadge status={post.status} />
        {post.scheduledFor !== undefined && <span>for {formatDateTime(post.scheduledFor)}</span>}
        <span class="hint">created {formatDateTime(post.createdAt)}</span>
      </div>
      {post.status === 'pending' && (
        <p class="hint">
          The API document does not show when a pending post changes, so in the emulator it stays pending.
        </p>
      )}
      <Retries post={post} />
      <p class="post-content" dir="auto">
        {post.content}
      </p>
      <Media post={post} />
      {canReschedule(post) && <RescheduleForm post={post} />}
      <h3>Targets</h3>
      <TargetList post={post} />
      <PostTraffic post={post} />
      <h3>The body of its creation</h3>
      <Code label="rawRequestBody" text={pretty(post.rawRequestBody ?? {})} />
    </Dialog>
  );
}

/** Links a post and the post that published its failed targets again. */
function Retries({ post }: { readonly post: Post }) {
  const [later, earlier] = [retryOf(post), retriedBy(post)];
  return (
    <>
      {later !== undefined && (
        <p>
          The failed targets were published again: <PostLink postId={later.postId}>{later.postId}</PostLink>, which is{' '}
          {later.status}.
        </p>
      )}
      {earlier !== undefined && (
        <p>
          Publishes the failed targets of <PostLink postId={earlier.postId}>{earlier.postId}</PostLink> again.
        </p>
      )}
    </>
  );
}

function Media({ post: { mediaItems = [] } }: { readonly post: Post }) {
  if (mediaItems.length === 0) return null;
  return (
    <>
      <h3>Media</h3>
      <ul class="plain-list">
        {mediaItems.map(({ type, url, filename }, index) => (
          <li key={index}>
            {type ?? 'file'} <code>{filename ?? url}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Actions({ post }: { readonly post: Post }) {
  const canRetry = targetsOf(post).some(({ state }) => state === 'failed') && retryOf(post) === undefined;
  return (
    <>
      {post.status === 'scheduled' && (
        <button
          type="button"
          class="button"
          onClick={() => {
            openDialog.value = { kind: 'edit', postId: post.postId };
          }}
        >
          <Icon name="draft" />
          Edit
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => {
          openDialog.value = { kind: 'compose', from: post.postId };
        }}
      >
        <Icon name="copy" />
        Duplicate
      </button>
      <GoToPost post={post} />
      {canRetry && (
        <BusyButton class="button button-main" keys={mainKeys} onPress={() => publishFailedAgain(post)}>
          <Icon name="again" />
          Publish the failed targets again
          <kbd aria-hidden="true">{mainKeyNames}</kbd>
        </BusyButton>
      )}
    </>
  );
}

async function publishFailedAgain(post: Post): Promise<void> {
  const retry = retryFailed(post);
  if (retry === undefined) return;
  const {
    postId,
    state,
    error,
    targets = [],
  } = await publisher().publish(retryKey(post), retry.body, {
    extraBody: retry.extraBody,
  });
  if (postId === undefined) throw new Error(error?.message ?? `The new post for the failed targets is ${state}.`);
  const failed = targets.filter((target) => target.state === 'failed');
  rememberRetry(post, postId);
  changed('post');
  // The dialog of the new post shows only notices that are later than itself.
  openDialog.value = { kind: 'post', postId };
  notifyOfPost('The new post for the failed targets', { postId, status: state, failed }, false);
}
