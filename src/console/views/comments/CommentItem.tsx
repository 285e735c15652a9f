import type { Comment, CommentReply } from 'social-publishing';
import { formatDateTime } from '../../state/time.js';

export function CommentItem({ comment }: { readonly comment: Comment }) {
  return (
    <li>
      <Words of={comment} />
      {comment.hidden === true && <p class="hint">hidden</p>}
      {comment.replies !== undefined && comment.replies.length > 0 && (
        <ul role="list" class="replies">
          {comment.replies.map((reply) => (
            <li key={reply.id}>
              <Words of={reply} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Words({ of: { author, text, timestamp, likeCount = 0 } }: { readonly of: Comment | CommentReply }) {
  return (
    <>
      <p class="hint">
        <strong>
          <bdi>{author?.name ?? 'somebody'}</bdi>
        </strong>{' '}
        {formatDateTime(timestamp)}
        {likeCount > 0 && ` · ${likeCount} likes`}
      </p>
      <p dir="auto">{text}</p>
    </>
  );
}
