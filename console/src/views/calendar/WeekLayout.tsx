import { useRef, useState } from 'preact/hooks';
import type { Post } from 'social-publishing';
import { StatusSign, TargetBadge } from '../../parts/Badges.js';
import { Icon } from '../../parts/Icon.js';
import { emulatorNow, today } from '../../state/clock.js';
import { openDialog } from '../../state/dialogs.js';
import { expectedTargets, signOf } from '../../state/expected-targets.js';
import { areMixed, postsRead, timeOf } from '../../state/posts.js';
import { formatDay, formatShortDay, formatTime, instant, weekOf } from '../../state/time.js';
import { More, type MoreProps } from './CalendarDay.js';
import { chosen, layout, pickPosts, shownByDay } from './calendar.js';
import { dropOn, movable } from './moving.js';

/** The number of posts shown per day. */
const shownPosts = 30;

/** The number of earlier posts shown, if today has more posts than it shows. */
const earlierPosts = 5;

/** A full today begins shortly before the present time. Returns the number of posts before that. */
function startOf(day: string): number {
  const all = shownByDay.value.get(day) ?? [];
  if (day !== today.value || all.length <= shownPosts) return 0;
  const next = all.findIndex((post) => instant(timeOf(post) ?? 0).getTime() >= emulatorNow());
  const start = (next === -1 ? all.length : next) - earlierPosts;
  return Math.max(0, Math.min(start, all.length - shownPosts));
}

function postsOf(day: string): readonly Post[] {
  return pickPosts((shownByDay.value.get(day) ?? []).slice(startOf(day)), shownPosts);
}

/** The seven days of a week beside each other. Their posts are one Tab stop; the arrow keys move between them. */
export function WeekLayout({ day }: { readonly day: string }) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string | undefined>();
  const days = weekOf(day);
  const columns = days.map((date) => postsOf(date).map(({ postId }) => postId));
  const isShown = active !== undefined && columns.some((column) => column.includes(active));
  const stop = isShown ? active : (columns[days.indexOf(today.value)]?.[0] ?? columns.flat()[0]);
  return (
    <ul
      ref={list}
      role="list"
      class="week"
      aria-label="Days of the week"
      onFocusIn={({ target }) => {
        // Elements of this page receive the focus.
        const { post, day: date = '' } = (target as HTMLElement).dataset;
        // After the button of a day, Tab goes to its first post.
        setActive(post ?? columns[days.indexOf(date)]?.[0] ?? active);
      }}
      onKeyDown={(event) => {
        const { post = '', day: date } = (event.target as HTMLElement).dataset;
        const next =
          date === undefined
            ? selectorOf('post', postAfterKey(event, post, columns))
            : selectorAfterKey(event, days.indexOf(date), days, columns);
        if (next === undefined) return;
        event.preventDefault();
        list.current?.querySelector<HTMLElement>(next)?.focus();
      }}
    >
      {days.map((date) => (
        <WeekDay key={date} day={date} stop={stop} />
      ))}
    </ul>
  );
}

const selectorOf = (name: 'day' | 'post', value: string | undefined): string | undefined =>
  value === undefined ? undefined : `[data-${name}="${CSS.escape(value)}"]`;

/** Returns where a key moves the focus from the button of a day: to the button of another day, or to its first post. */
function selectorAfterKey(
  { key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent,
  index: number,
  days: readonly string[],
  columns: readonly (readonly string[])[],
): string | undefined {
  if (ctrlKey || altKey || metaKey || shiftKey) return undefined;
  switch (key) {
    case 'ArrowLeft':
      return selectorOf('day', days[index - 1]);
    case 'ArrowRight':
      return selectorOf('day', days[index + 1]);
    case 'ArrowDown':
      return selectorOf('post', columns[index]?.[0]);
    default:
      return undefined;
  }
}

/** Returns the post to which a key moves the focus: in the same day, or in the next day with posts. */
function postAfterKey(
  { key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent,
  post: string,
  columns: readonly (readonly string[])[],
): string | undefined {
  const day = columns.findIndex((column) => column.includes(post));
  const own = columns[day];
  if (own === undefined || ctrlKey || altKey || metaKey || shiftKey) return undefined;
  const row = own.indexOf(post);
  const near = (column: readonly string[] | undefined) => column?.[Math.min(row, column.length - 1)];
  const hasPosts = ({ length }: readonly string[]) => length > 0;
  switch (key) {
    case 'ArrowUp':
      return own[row - 1];
    case 'ArrowDown':
      return own[row + 1];
    case 'ArrowLeft':
      return near(columns.slice(0, day).findLast(hasPosts));
    case 'ArrowRight':
      return near(columns.slice(day + 1).find(hasPosts));
    default:
      return undefined;
  }
}

/** @param stop the ID of the post that is a Tab stop */
function WeekDay({ day, stop }: { readonly day: string; readonly stop: string | undefined }) {
  const posts = shownByDay.value.get(day) ?? [];
  const isToday = day === today.value;
  return (
    <li class={isToday ? 'week-day week-today' : 'week-day'} {...dropOn(day)}>
      <div class="week-head">
        <h2 aria-label={formatDay(day)} aria-current={isToday ? 'date' : undefined}>
          <span class="week-name">{formatDay(day).slice(0, 3)}</span> {Number(day.slice(-2))}{' '}
          <span class="week-month">{formatShortDay(day).split(' ')[1]}</span>
        </h2>
        <button
          type="button"
          class="button button-quiet button-icon button-small"
          data-day={day}
          aria-label={`New post on ${formatDay(day)}`}
          onClick={() => {
            openDialog.value = { kind: 'compose', day };
          }}
        >
          <Icon name="plus" />
        </button>
      </div>
      {posts.length === 0 && <p class="hint week-empty">{postsRead.value ? 'No posts' : 'Loading'}</p>}
      <OtherPosts day={day} posts={posts.slice(0, startOf(day))} shown={[]} words="earlier" />
      <ul role="list" class="week-posts">
        {postsOf(day).map((post) => (
          <li key={post.postId}>
            <WeekPost post={post} isStop={post.postId === stop} />
          </li>
        ))}
      </ul>
      <OtherPosts day={day} posts={posts.slice(startOf(day))} shown={postsOf(day)} words="more" />
    </li>
  );
}

interface OtherPostsProps extends MoreProps {
  readonly day: string;
}

/** Leads to the posts of a day for which a week has no room. */
function OtherPosts({ day, posts, shown, words }: OtherPostsProps) {
  if (posts.length === shown.length) return null;
  return (
    <button
      type="button"
      class="button button-small week-others"
      onClick={() => {
        chosen.value = day;
        layout.value = 'agenda';
      }}
    >
      <More posts={posts} shown={shown} words={words} />
    </button>
  );
}

function WeekPost({ post, isStop }: { readonly post: Post; readonly isStop: boolean }) {
  const { postId, content, status = 'unknown' } = post;
  const targets = expectedTargets(post);
  const { sign, words } = signOf(post);
  return (
    <button
      type="button"
      class={`chip week-post chip-${status}`}
      tabIndex={isStop ? 0 : -1}
      {...movable(post)}
      onClick={() => {
        openDialog.value = { kind: 'post', postId };
      }}
    >
      <span class="chip-line">
        <StatusSign status={sign} />
        <span class="chip-time">{formatTime(timeOf(post))}</span>
        <span class="unseen">{words}</span>
      </span>
      <span class="week-text">{content === undefined || content === '' ? <em>no text</em> : <bdi>{content}</bdi>}</span>
      <span class={areMixed(targets) ? 'chip-targets' : 'chip-targets targets-alike'}>
        {targets.map((target, index) => (
          <TargetBadge key={index} target={target} />
        ))}
      </span>
    </button>
  );
}
