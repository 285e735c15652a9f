import type { ButtonHTMLAttributes } from 'preact';
import type { Post } from 'social-publishing';
import { StatusBadge, TargetBadge } from '../../parts/Badges.js';
import type { RowFocus } from '../../parts/VirtualList.js';
import { openDialog } from '../../state/dialogs.js';
import { targetsOf, timeOf } from '../../state/posts.js';
import { formatDateTime } from '../../state/time.js';

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
        {targetsOf(post).map((target, index) => (
          <TargetBadge key={index} target={target} />
        ))}
      </span>
      <StatusBadge status={status} />
    </button>
  );
}
