import type { ButtonHTMLAttributes } from 'preact';
import type { Post, TargetResult } from 'social-publishing';
import { StatusBadge, TargetBadge } from '../../parts/Badges.js';
import type { RowFocus } from '../../parts/VirtualList.js';
import { openDialog } from '../../state/dialogs.js';
import { platformName } from '../../state/platform-names.js';
import { expectedTargets } from '../../state/expected-targets.js';
import { areMixed, isProblem, problemsFirst, timeOf } from '../../state/posts.js';
import { retryOf } from '../../state/retries.js';
import { dayOf, formatDateTime, formatMediumDay, formatTime } from '../../state/time.js';

/** The number of targets for which a row on a phone has room. */
const mostTargets = 5;

interface Props {
  readonly post: Post;
  readonly focus?: RowFocus;
  /** Whether the day of the post is named above the row. */
  readonly isInDay?: boolean;
  /** Whether the row shows the time of creation instead of the time of publication. */
  readonly isByCreation?: boolean;
  /** More properties of the button. */
  readonly more?: ButtonHTMLAttributes;
}

/** A post in a list, as a button that opens it. */
export function PostRow({ post, focus, isInDay = false, isByCreation = false, more }: Props) {
  const { postId, status } = post;
  const time = isByCreation ? post.createdAt : timeOf(post);
  const targets = expectedTargets(post);
  const shown = targets.length > mostTargets ? problemsFirst(targets).slice(0, mostTargets - 1) : targets;
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
      <span class="post-time">
        {isByCreation && <span class="post-created">created </span>}
        {time === undefined ? 'no time' : <RowTime time={time} isInDay={isInDay} />}
      </span>
      <PostText post={post} problem={problemOf(targets)} />
      <span class={areMixed(targets) ? 'post-targets' : 'post-targets targets-alike'}>
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

interface PostTextProps {
  readonly post: Post;
  readonly problem: ReturnType<typeof problemOf>;
}

/** A text from right to left begins at its right end, and is cut at its left one. */
function PostText({ post, problem }: PostTextProps) {
  const { content, mediaItems = [] } = post;
  return (
    <span class={problem === undefined ? 'post-text' : 'post-text post-failed'} dir="auto">
      {content === undefined || content === '' ? <em>no text</em> : <span>{content}</span>}
      {mediaItems.length > 0 && (
        <span class="post-media" dir="ltr">
          {' '}
          · {mediaItems.length} media
        </span>
      )}
      {retryOf(post) !== undefined && (
        <span class="post-media" dir="ltr">
          {' '}
          · failed targets published again
        </span>
      )}
      {problem}
    </span>
  );
}

/** Shows the error or the warning of the first target that has one, and counts the others. */
function problemOf(targets: readonly TargetResult[]) {
  const [first] = problemsFirst(targets);
  const words = first?.error ?? first?.warning;
  if (words === undefined) return undefined;
  const isFailure = first?.state === 'failed';
  const problems = targets.filter((target) => isProblem(target) && (target.state === 'failed') === isFailure);
  const same = problems.filter(({ error, warning }) => (error ?? warning) === words).length;
  const others = problems.length - same;
  return (
    <span class={isFailure ? 'post-problem bad' : 'post-problem warn'} dir="ltr">
      <span class="post-problem-at">
        {platformName(first?.platform)}
        {same > 1 && ` and ${same - 1} more`}:{' '}
      </span>
      {words}
      {others > 0 && <span class="post-problem-at"> {moreWords(others, isFailure)}</span>}
    </span>
  );
}

/** Counts the targets that failed for other reasons, or have other warnings. */
function moreWords(count: number, isFailure: boolean): string {
  if (isFailure) return `${count} more failed for ${count === 1 ? 'another reason' : 'other reasons'}.`;
  return count === 1 ? '1 more has another warning.' : `${count} more have other warnings.`;
}

/** A screen reader reads the day too: it changes when the post is moved. */
function RowTime({ time, isInDay }: { readonly time: string; readonly isInDay: boolean }) {
  if (!isInDay) return <>{formatDateTime(time)}</>;
  return (
    <>
      <span class="unseen">{formatMediumDay(dayOf(time))}, </span>
      {formatTime(time)}
    </>
  );
}
