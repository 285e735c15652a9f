import type { ButtonHTMLAttributes } from 'preact';
import type { Post, TargetResult } from 'social-publishing';
import { StatusBadge, TargetBadge } from '../../parts/Badges.js';
import type { RowFocus } from '../../parts/VirtualList.js';
import { openDialog } from '../../state/dialogs.js';
import { targetsOf, timeOf } from '../../state/posts.js';
import { formatDateTime } from '../../state/time.js';

/** The number of targets for which a row on a phone has room. */
const mostTargets = 5;

const failedFirst = (targets: readonly TargetResult[]) =>
  [...targets].sort((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'));

interface Props {
  readonly post: Post;
  readonly focus?: RowFocus;
  /** More properties of the button. */
  readonly more?: ButtonHTMLAttributes;
}

/** A post in a list, as a button that opens it. */
export function PostRow({ post, focus, more }: Props) {
  const { postId, content, status, mediaItems = [] } = post;
  const time = timeOf(post);
  const targets = targetsOf(post);
  const shown = targets.length > mostTargets ? failedFirst(targets).slice(0, mostTargets - 1) : targets;
  return (
    <button
      type="button"
      class="row post-row"
      {...focus}
      {...more}
      onClick={() => {
        openDialog.value = { kind: 'post', postId };
      }}
    >
      <span class="post-time">{time === undefined ? 'no time' : formatDateTime(time)}</span>
      <span class="post-text">
        {content === undefined || content === '' ? <em>no text</em> : <bdi>{content}</bdi>}
        {mediaItems.length > 0 && <span class="post-media"> · {mediaItems.length} media</span>}
      </span>
      <span class="post-targets">
        {shown.map((target, index) => (
          <TargetBadge key={index} target={target} />
        ))}
        {targets.length > shown.length && (
          <span class="more">
            +{targets.length - shown.length}
            <span class="unseen"> more targets</span>
          </span>
        )}
      </span>
      <StatusBadge status={status} />
    </button>
  );
}
