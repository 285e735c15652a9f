import { retryFailed, type Post, type TargetResult } from 'social-publishing';
import { PlatformBadge, platformName, StatusBadge } from '../parts/Badges.js';
import { BusyButton } from '../parts/Busy.js';
import { Code, pretty } from '../parts/Code.js';
import { Dialog } from '../parts/Dialog.js';
import { Icon } from '../parts/Icon.js';
import { accountName } from '../state/accounts.js';
import { openDialog } from '../state/dialogs.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { findPost, targetsOf } from '../state/posts.js';
import { formatDateTime } from '../state/time.js';
import { publisher } from '../world/session.js';

/** All that is known of one post. */
export function PostDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const post = findPost(postId);
  if (post === undefined) return null;
  return (
    <Dialog title={`Post ${postId}`} onClose={onClose} wide>
      <div class="post-head">
        <StatusBadge status={post.status} />
        {post.scheduledFor !== undefined && <span>for {formatDateTime(post.scheduledFor)}</span>}
        <span class="hint">created {formatDateTime(post.createdAt)}</span>
      </div>
      <p class="post-content" dir="auto">
        {post.content}
      </p>
      <Media post={post} />
      <h3>Targets</h3>
      <Targets post={post} />
      <Actions post={post} />
      <h3>The request that created it</h3>
      <Code label="rawRequestBody" text={pretty(post.rawRequestBody ?? {})} />
    </Dialog>
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

function Targets({ post }: { readonly post: Post }) {
  const targets = targetsOf(post);
  if (targets.length === 0) return <p class="hint">A draft needs no targets.</p>;
  return (
    <ul role="list" class="target-list">
      {targets.map((target, index) => (
        <li key={index}>
          <PlatformBadge platform={target.platform} />
          <div>
            <p>
              <strong>{platformName(target.platform)}</strong> <span class="hint">{accountName(target.accountId)}</span>
            </p>
            <TargetWords target={target} />
          </div>
          <StatusBadge status={target.state} />
        </li>
      ))}
    </ul>
  );
}

function TargetWords({ target: { error, warning, url, publishedAt } }: { readonly target: TargetResult }) {
  return (
    <>
      {error !== undefined && <p class="bad">{error}</p>}
      {warning !== undefined && <p class="warn">{warning}</p>}
      {publishedAt !== undefined && <p class="hint">{formatDateTime(publishedAt)}</p>}
      {url !== undefined && (
        <p class="hint">
          <code>{url}</code>
        </p>
      )}
    </>
  );
}

function Actions({ post }: { readonly post: Post }) {
  const hasFailed = targetsOf(post).some(({ state }) => state === 'failed');
  return (
    <div class="button-row">
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
      {hasFailed && (
        <BusyButton onPress={() => publishFailedAgain(post)}>
          <Icon name="again" />
          Publish the failed targets again
        </BusyButton>
      )}
    </div>
  );
}

async function publishFailedAgain(post: Post): Promise<void> {
  const retry = retryFailed(post);
  if (retry === undefined) return;
  // After a restart, the emulator uses its IDs again.
  const key = `retry/${post.postId}/${post.createdAt ?? ''}`;
  const { postId, state, error, replayed } = await publisher().publish(key, retry.body, { extraBody: retry.extraBody });
  if (postId === undefined) throw new Error(error?.message ?? `The new post for the failed targets is ${state}.`);
  notify(
    replayed
      ? 'The failed targets have a new post already.'
      : `A new post for the failed targets is ${state === 'accepted' ? 'being published' : state}.`,
  );
  changed('post');
  openDialog.value = { kind: 'post', postId };
}
