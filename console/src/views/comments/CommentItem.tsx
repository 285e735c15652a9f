import { useEffect, useRef } from 'preact/hooks';
import type { Comment, CommentReply } from 'social-publishing';
import { linkTo } from '../../state/route.js';
import { formatDateTime } from '../../state/time.js';
import type { CommentRun } from './runs.js';

interface Props {
  readonly comment: Comment;
  readonly run: CommentRun | undefined;
  /** Whether a link leads to this comment. */
  readonly isChosen: boolean;
}

export function CommentItem({ comment, run, isChosen }: Props) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li ref={item} aria-current={isChosen ? 'true' : undefined}>
      <Words of={comment} />
      {run !== undefined && (
        <p class="hint">
          Triggered <a href={linkTo('automations', { automation: run.automationId })}>{run.name}</a>:{' '}
          <span class={run.status === 'failed' ? 'bad' : ''}>{run.status}</span>
        </p>
      )}
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
          <bdi>{author?.name ?? 'unknown author'}</bdi>
        </strong>{' '}
        {formatDateTime(timestamp)}
        {likeCount > 0 && ` · ${likeCount === 1 ? '1 like' : `${likeCount} likes`}`}
      </p>
      <p dir="auto">{text}</p>
    </>
  );
}
