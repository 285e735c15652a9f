import type { Post } from 'social-publishing';
import { StatusSign, TargetBadge } from '../../parts/Badges.js';
import { Icon } from '../../parts/Icon.js';
import { today } from '../../state/clock.js';
import { openDialog } from '../../state/dialogs.js';
import { postsRead, targetsOf, timeOf } from '../../state/posts.js';
import { formatDay, formatShortDay, formatTime, weekOf } from '../../state/time.js';
import { chosen, layout, shownByDay } from './calendar.js';
import { dropOn, movable } from './moving.js';

/** The number of posts shown per day. */
const shownPosts = 30;

/** The seven days of a week beside each other. */
export function WeekLayout({ day }: { readonly day: string }) {
  return (
    <ul role="list" class="week" aria-label="Days of the week">
      {weekOf(day).map((date) => (
        <WeekDay key={date} day={date} />
      ))}
    </ul>
  );
}

function WeekDay({ day }: { readonly day: string }) {
  const posts = shownByDay.value.get(day) ?? [];
  const isToday = day === today.value;
  return (
    <li class={isToday ? 'week-day week-today' : 'week-day'} {...dropOn(day)}>
      <div class="week-head">
        <h2 aria-label={formatDay(day)} aria-current={isToday ? 'date' : undefined}>
          <span class="week-name">{formatDay(day).slice(0, 3)}</span> {Number(day.slice(8))}{' '}
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
      <ul role="list" class="week-posts">
        {posts.slice(0, shownPosts).map((post) => (
          <li key={post.postId}>
            <WeekPost post={post} />
          </li>
        ))}
      </ul>
      {posts.length > shownPosts && (
        <button
          type="button"
          class="button button-small"
          onClick={() => {
            chosen.value = day;
            layout.value = 'agenda';
          }}
        >
          All {posts.length} posts
        </button>
      )}
    </li>
  );
}

function WeekPost({ post }: { readonly post: Post }) {
  const { postId, content, status = 'unknown' } = post;
  return (
    <button
      type="button"
      class={`chip week-post chip-${status}`}
      {...movable(post)}
      onClick={() => {
        openDialog.value = { kind: 'post', postId };
      }}
    >
      <span class="chip-line">
        <StatusSign status={status} />
        <span class="chip-time">{formatTime(timeOf(post))}</span>
        <span class="unseen">{status}</span>
      </span>
      <span class="week-text">{content === undefined || content === '' ? <em>no text</em> : <bdi>{content}</bdi>}</span>
      <span class="chip-targets">
        {targetsOf(post).map((target, index) => (
          <TargetBadge key={index} target={target} />
        ))}
      </span>
    </button>
  );
}
