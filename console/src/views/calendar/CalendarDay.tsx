import type { Post, TargetResult } from 'social-publishing';
import { StatusSign, TargetBadge } from '../../parts/Badges.js';
import { Icon } from '../../parts/Icon.js';
import { openDialog } from '../../state/dialogs.js';
import { hasProblem } from '../../state/post-filter.js';
import { expectedTargets, signOf } from '../../state/expected-targets.js';
import { areMixed, isProblem, problemsFirst, timeOf } from '../../state/posts.js';
import { countByName, quantity } from '../../state/quantity.js';
import { formatDay, formatTime } from '../../state/time.js';
import { pickPosts, shownByDay } from './calendar.js';
import { dropOn, movable } from './moving.js';

interface Props {
  readonly day: string;
  readonly isChosen: boolean;
  readonly isToday: boolean;
  readonly isOutside: boolean;
  readonly choose: () => void;
}

/** The number of posts shown with their targets. */
const shownPosts = 5;
/** A day with more posts shows each in one line. Further posts are counted, and shown next to the calendar. */
const shownLines = 6;
/** The number of posts shown on a phone, each as an icon. */
const shownMarks = 3;
/** A number with two digits leaves no room for symbols. */
const twoDigits = 10;
/** The number of targets shown per post, or of one target with the number of the others. */
const shownTargets = 2;

export function CalendarDay({ day, isChosen, isToday, isOutside, choose }: Props) {
  const posts = shownByDay.value.get(day) ?? [];
  const isFull = posts.length > shownPosts;
  // The count of further posts takes a line too.
  const shown = pickPosts(posts, posts.length > shownLines ? shownLines - 1 : shownLines);
  const classes = ['day', isChosen && 'day-chosen', isToday && 'day-today', isOutside && 'day-outside'];
  return (
    <td class={classes.filter(Boolean).join(' ')} onClick={choose} {...dropOn(day)}>
      <button
        type="button"
        class="day-number"
        data-day={day}
        tabIndex={isChosen ? 0 : -1}
        aria-pressed={isChosen}
        aria-current={isToday ? 'date' : undefined}
        aria-label={`${formatDay(day)}, ${countOf(posts)}`}
      >
        {Number(day.slice(-2))}
      </button>
      {posts.length > 0 && (
        <>
          <Marks posts={posts} />
          <div class={`chips ${isFull ? 'chips-full' : `chips-${posts.length}`}`}>
            {shown.map((post) => (
              <Chip key={post.postId} post={post} isLine={isFull} />
            ))}
            {posts.length > shown.length && <More posts={posts} shown={shown} />}
          </div>
        </>
      )}
    </td>
  );
}

/** Counts posts by state. */
export function countOf(posts: readonly Post[]): string {
  if (posts.length === 0) return 'no posts';
  const states = countByName(posts.map(({ status = 'unknown' }) => status));
  return `${quantity(posts.length, 'post', 'posts')}: ${states}`;
}

export interface MoreProps {
  /** All posts of a day. */
  readonly posts: readonly Post[];
  /** The posts for which there is room. */
  readonly shown: readonly Post[];
  /** Which ones the others are. Default: more. */
  readonly words?: string | undefined;
}

/** Counts the posts without room, and the failed ones among them. */
export function More({ posts, shown, words = 'more' }: MoreProps) {
  const problems = posts.filter(hasProblem).length - shown.filter(hasProblem).length;
  return (
    <span class="more">
      +{posts.length - shown.length} {words}
      {problems > 0 && (
        <span class="more-failed">
          <StatusSign status="failed" />
          {problems}
          <span class="unseen"> failed or partial</span>
        </span>
      )}
    </span>
  );
}

/** Shows an icon for each post on a phone. */
function Marks({ posts }: { readonly posts: readonly Post[] }) {
  return (
    <span class="marks" aria-hidden="true">
      {pickPosts(posts, shownMarks).map((post) => (
        <StatusSign key={post.postId} status={signOf(post).sign} />
      ))}
      {posts.length > shownMarks && `+${posts.length - shownMarks}`}
    </span>
  );
}

/** Shows a post of a day. The keyboard reaches it through the list next to the calendar. */
function Chip({ post, isLine }: { readonly post: Post; readonly isLine: boolean }) {
  const { postId, content, status = 'unknown' } = post;
  const targets = expectedTargets(post);
  const { sign, words } = signOf(post);
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`chip chip-${status}`}
      title={`${words}, ${formatTime(timeOf(post))}: ${content ?? ''}`}
      {...movable(post)}
      onClick={(event) => {
        event.stopPropagation();
        openDialog.value = { kind: 'post', postId };
      }}
    >
      <span class="chip-line">
        <StatusSign status={sign} />
        <span class="chip-time">{formatTime(timeOf(post))}</span>
        {isLine ? <bdi class="chip-text">{content}</bdi> : <ChipTargets targets={targets} />}
      </span>
      {!isLine && <bdi class="chip-text">{content}</bdi>}
      <span class="unseen">{words}</span>
    </button>
  );
}

function ChipTargets({ targets }: { readonly targets: readonly TargetResult[] }) {
  const all = problemsFirst(targets);
  const isMixed = areMixed(all);
  // Two targets with symbols need more than the line of the time.
  const isLong = targets.length > shownTargets || (isMixed && targets.filter(isProblem).length > 1);
  const shown = all.slice(0, isLong ? 1 : shownTargets);
  const others = all.slice(shown.length);
  const failed = isMixed ? others.filter(({ state }) => state === 'failed').length : 0;
  return (
    <span class={isMixed && others.length < twoDigits ? 'chip-targets chip-mixed' : 'chip-targets'}>
      {shown.map((target, index) => (
        <TargetBadge key={index} target={target} />
      ))}
      {others.length > 0 && (
        <span class={failed > 0 ? 'target target-failed' : 'target'}>
          <span class="more">+{others.length}</span>
          {failed > 0 && (
            <>
              <Icon name="cross" />
              <span class="unseen">, {failed} failed</span>
            </>
          )}
        </span>
      )}
    </span>
  );
}
